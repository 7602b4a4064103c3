//! Groups: folders of arrays and groups, with metadata.

use tdb_array::{
    ChangeOptions, GroupMember, MemberChange, Metadata, MetadataRecord, ObjectType, OpenOptions,
    UriTarget,
};

use crate::array::metadata_value;
use crate::objects::in_the_way;
use crate::place::{self, Place};
use crate::{Context, Error, ErrorKind, MetadataEntry, Result, Time};

/// An open group, as it was at the time for which it was opened.
#[derive(Clone, Debug)]
pub struct Group {
    context: Context,
    place: Place,
    group: tdb_array::Group,
}

/// How a group stores the place of a member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemberPlace {
    /// Relative if the member lies inside the group, so that both can be moved together; otherwise its whole URI.
    #[default]
    Any,
    /// Relative to the group; adding a member outside of the group fails.
    Relative,
    /// The whole URI, even if the member lies inside the group.
    Absolute,
}

/// Options for adding a member to a group.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AddOptions {
    /// Name of the member in the group; `None` for the last part of its path.
    pub name: Option<String>,
    /// How the member's place is stored.
    pub place: MemberPlace,
    /// Time of the change, and the source of names.
    pub change: ChangeOptions,
}

impl Context {
    /// Opens a group as it is now.
    ///
    /// # Errors
    /// Fails if there is no group, or if its stored data cannot be read.
    pub fn open_group(&self, uri: &str) -> Result<Group> {
        self.open_group_with(uri, OpenOptions::at(Time::now().0))
    }

    /// Opens a group with all available options.
    ///
    /// # Errors
    /// As for [`Context::open_group`].
    pub fn open_group_with(&self, uri: &str, options: OpenOptions) -> Result<Group> {
        self.open_group_place(&place::group(uri, self.opener())?, options)
    }

    /// Opens the group at a place with all available options.
    ///
    /// # Errors
    /// As for [`Context::open_group`].
    pub fn open_group_place(&self, place: &Place, options: OpenOptions) -> Result<Group> {
        let location = self.location(place);
        let group = tdb_array::Group::open_location(&location, &place.store_uri, options)
            .map_err(|error| place.failed(error))?;
        Ok(Group {
            context: self.clone(),
            place: place.clone(),
            group,
        })
    }

    /// Creates a group without members, and opens it. Nothing may exist there yet; parent folders are created.
    ///
    /// # Errors
    /// Fails if something exists there already, or if the store fails.
    pub fn create_group(&self, uri: &str) -> Result<Group> {
        let place = place::vacant(uri, self.opener())?;
        tdb_array::Group::create(&place.location).map_err(|error| in_the_way(&place, error))?;
        self.open_group(uri)
    }
}

impl Group {
    /// Returns the URI by which the group was opened.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.place.uri
    }

    /// Returns the engine's group, for operations that this crate does not offer.
    #[must_use]
    pub fn engine(&self) -> &tdb_array::Group {
        &self.group
    }

    /// Returns the members, ordered by name or, for unnamed members, by URI.
    #[must_use]
    pub fn members(&self) -> &[GroupMember] {
        self.group.members()
    }

    /// Returns the URI of a member, resolved against the group's URI.
    #[must_use]
    pub fn member_uri(&self, member: &GroupMember) -> String {
        self.group.member_uri(member)
    }

    /// Returns the metadata: values by key.
    ///
    /// # Errors
    /// Fails if the stored metadata cannot be read.
    pub fn metadata(&self) -> Result<Metadata> {
        let metadata = self.group.metadata();
        metadata.map_err(|error| self.place.failed(error))
    }

    /// Sets a metadata value.
    ///
    /// # Errors
    /// Fails if the key or the value cannot be stored.
    pub fn set_metadata(&self, key: &str, value: impl Into<MetadataEntry>) -> Result<()> {
        let record = MetadataRecord {
            key: key.to_owned(),
            value: Some(metadata_value(self.uri(), value.into())?),
        };
        let put = self
            .group
            .put_metadata(vec![record], &ChangeOptions::default());
        put.map_err(|error| self.place.failed(error))
    }

    /// Adds an array or a group as a member.
    ///
    /// ```no_run
    /// let context = tdb_open::Context::new();
    /// let runs = context.create_group("runs")?;
    /// runs.add("runs/first")?;
    /// runs.add("elsewhere/weather")?;
    /// # Ok::<(), tdb_open::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `uri` is neither an array nor a group, if it is a group that contains this one, if another member has
    /// the name, or if the store fails.
    pub fn add(&self, uri: &str) -> Result<()> {
        self.add_with(uri, &AddOptions::default()).map(drop)
    }

    /// As [`Group::add`], with options; returns the new member.
    ///
    /// # Errors
    /// As [`Group::add`].
    pub fn add_with(&self, uri: &str, options: &AddOptions) -> Result<GroupMember> {
        let member = place::folder(uri, self.context.opener())?;
        let object_type = member.object_type()?;
        if object_type == ObjectType::Invalid {
            return Err(member.nothing("array or group"));
        }
        if object_type == ObjectType::Group {
            self.check_no_cycle(&member)?;
        }
        let inside = match self.below(&member) {
            Err(error) if options.place == MemberPlace::Relative => return Err(error),
            inside => inside.ok(),
        };
        let member_uri = member.absolute_uri();
        let usual_name = tdb_store::name(inside.as_deref().unwrap_or(&member_uri));
        if options.name.is_none() {
            self.check_name_is_free(usual_name, &member)?;
        }
        let is_absolute = options.place == MemberPlace::Absolute;
        let relative = inside.clone().filter(|_| !is_absolute);
        let name = options.name.clone();
        let added = GroupMember {
            relative: relative.is_some(),
            uri: relative.unwrap_or_else(|| member_uri.clone()),
            name: Some(name.unwrap_or_else(|| usual_name.to_owned())),
            object_type,
            ..GroupMember::default()
        };
        let change = MemberChange::Add {
            relative: added.relative,
            uri: added.uri.clone(),
            name: added.name.clone(),
            object_type,
        };
        let changed = self.group.change_members(&[change], &options.change);
        changed.map_err(|error| self.place.failed(error))?;
        Ok(added)
    }

    /// Removes a member from the group, by name or, if it has none, by URI. The member itself stays where it is.
    ///
    /// # Errors
    /// Fails if there is no such member, or if the store fails.
    pub fn remove(&self, name: &str) -> Result<()> {
        self.remove_with(name, &ChangeOptions::default()).map(drop)
    }

    /// As [`Group::remove`], with options; returns the removed member.
    ///
    /// # Errors
    /// As [`Group::remove`].
    pub fn remove_with(&self, name: &str, change: &ChangeOptions) -> Result<GroupMember> {
        let (member, known) = self.known(name)?;
        let removed = [MemberChange::Remove(known)];
        let changed = self.group.change_members(&removed, change);
        changed.map_err(|error| self.place.failed(error))?;
        Ok(member.clone())
    }

    /// Returns the member with this name or, if it has none, URI.
    ///
    /// # Errors
    /// Fails if there is no such member.
    pub fn member(&self, name: &str) -> Result<&GroupMember> {
        self.known(name).map(|(member, _)| member)
    }

    /// Returns a member and the key under which the group lists it.
    fn known(&self, name: &str) -> Result<(&GroupMember, String)> {
        let find = |name: &str| {
            let by_uri = || self.members().iter().find(|member| member.uri == name);
            self.group.member_called(name).ok().or_else(by_uri)
        };
        // A URI also matches in the form in which it was given when the member was added.
        let mut names = [Some(name.to_owned()), place::absolute(name)]
            .into_iter()
            .flatten();
        let known = names.find_map(|name| find(&name).map(|member| (member, name)));
        known.ok_or_else(|| {
            let what = format!("there is no member called {name:?}");
            let error = Error::new(ErrorKind::NotFound, what).at(self.uri());
            error.with_hint(format!("tdb group ls {} lists them", self.uri()))
        })
    }

    /// Fails if a default name is already that of another member, which would be replaced.
    fn check_name_is_free(&self, name: &str, member: &Place) -> Result<()> {
        let Ok(other) = self.group.member_called(name) else {
            return Ok(());
        };
        let uri = self.group.member_uri(other);
        if member.is_place(&uri) {
            return Ok(());
        }
        let what = format!("member {name:?} already exists: {uri}");
        let hint = "use --name to choose another name, or to replace the member of this name";
        Err(Error::invalid(what).with_hint(hint))
    }

    /// Fails if the group would contain itself.
    fn check_no_cycle(&self, member: &Place) -> Result<()> {
        let refused = |what: String| {
            let hint = "a group cannot contain itself";
            Err(Error::invalid(what).with_hint(hint))
        };
        let (group, uri) = (self.uri(), &member.uri);
        if self.place.is_place(&member.absolute_uri()) {
            return refused(format!("{uri} and {group} are the same group"));
        }
        let options = OpenOptions::default().window(self.group.window());
        let inner = self.context.open_group_place(member, options)?;
        // Members outside of the folder are not walked, so a cycle through them is not detected; neither are damaged
        // groups.
        let Ok(within) = inner.group.walk() else {
            return Ok(());
        };
        let mut inside = within
            .iter()
            .filter(|found| matches!(found.target, UriTarget::Inside(_)));
        if inside.any(|found| self.place.is_place(&found.uri)) {
            return refused(format!("the group {group} is in {uri}"));
        }
        Ok(())
    }

    /// Returns the path of a member relative to the group.
    fn below(&self, member: &Place) -> Result<String> {
        let absolute = GroupMember {
            uri: member.absolute_uri(),
            ..GroupMember::default()
        };
        let target = self.group.target(&absolute);
        // The root of an object store is the whole bucket, so the path is given from there.
        let below = match &target {
            UriTarget::Inside(folder) => folder.strip_prefix(self.place.prefix()),
            UriTarget::Outside(_) => None,
        };
        match below.map(|below| below.trim_start_matches('/')) {
            Some(below) if !below.is_empty() => Ok(below.to_owned()),
            Some(_) | None => {
                let what = format!("{} does not lie in {}", member.uri, self.uri());
                let hint = "without --relative, a member may lie anywhere";
                Err(Error::invalid(what).with_hint(hint))
            }
        }
    }
}
