//! Groups: arrays and groups by name, and metadata.

mod object;

use std::ffi::{c_char, c_void};

use tdb::engine::array::{GroupMember, MetadataRecord};
use tdb::{ErrorKind, ObjectType};

use crate::border::context::tiledb_ctx_t;
use crate::border::pointers::{check_place, index, optional_text, put, text};
use crate::border::{Error, Result, call, free, get, give, handle};
use crate::config::{Config, tiledb_config_t};
use crate::constants::*;
use crate::datatypes;
use crate::metadata::{ValuePlaces, value_of};
use crate::string::{Text, tiledb_string_t};
use object::{Group, NewMember, OpenedGroup};

handle!(
    /// A group.
    tiledb_group_t => Group, "group"
);

/// Creates a group in its store, without members.
///
/// # Safety
/// `group_uri` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_create(
    ctx: *mut tiledb_ctx_t,
    group_uri: *const c_char,
) -> i32 {
    call(ctx, |context| {
        let (engine, uri) = (context.engine()?, text(group_uri)?);
        let created = engine.create_group(uri);
        created.map(drop).map_err(|error| {
            let text = match (error.kind(), engine.files().absolute(uri)) {
                (ErrorKind::Exists, Ok(uri)) => {
                    format!("Cannot create group; Group '{uri}' already exists")
                }
                _ => format!("Cannot create group; {error}"),
            };
            Error::short("Group", text)
        })
    })
}

/// Creates a handle of a group, which is not open yet.
///
/// # Safety
/// `group_uri` is null or a text; `group` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_alloc(
    ctx: *mut tiledb_ctx_t,
    group_uri: *const c_char,
    group: *mut *mut tiledb_group_t,
) -> i32 {
    call(ctx, |context| {
        check_place(group)?;
        let (engine, settings) = (context.engine()?.clone(), context.settings().clone());
        put(group, give(Group::new(text(group_uri)?, engine, settings)?))
    })
}

/// Frees a group. What was changed and not closed is lost.
///
/// # Safety
/// `group` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_free(group: *mut *mut tiledb_group_t) {
    free(group);
}

/// Opens a group to read or to change it, at the times that its settings give.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_open(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    query_type: tiledb_query_type_t,
) -> i32 {
    call(ctx, |_| get(group)?.open(query_type))
}

/// Closes a group, and stores changes of its members and metadata.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_close(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
) -> i32 {
    call(ctx, |_| get(group)?.close())
}

/// Says whether a group is open.
///
/// # Safety
/// `is_open` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_is_open(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    is_open: *mut i32,
) -> i32 {
    call(ctx, |_| put(is_open, i32::from(get(group)?.is_open())))
}

/// Returns what a group was opened for.
///
/// # Safety
/// `query_type` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_query_type(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    query_type: *mut tiledb_query_type_t,
) -> i32 {
    call(ctx, |_| {
        let opened = get(group)?.opened("Cannot get query_type")?;
        put(query_type, opened.query_type)
    })
}

/// Returns the whole URI of a group.
///
/// # Safety
/// `group_uri` is null or points to a pointer. The text may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_uri(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    group_uri: *mut *const c_char,
) -> i32 {
    call(ctx, |_| {
        let group = get(group)?;
        put(group_uri, group.lent.text(&group.uri)?)
    })
}

/// Sets settings of a group that is not open.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_set_config(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    config: *mut tiledb_config_t,
) -> i32 {
    call(ctx, |_| get(group)?.inherit(&get(config)?.settings()))
}

/// Returns a copy of the settings of a group.
///
/// # Safety
/// `config` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_config(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    config: *mut *mut tiledb_config_t,
) -> i32 {
    call(ctx, |_| {
        let group = get(group)?;
        check_place(config)?;
        put(config, give(Config::of(group.settings())))
    })
}

/// Removes a group from its store, with its members if `recursive` is not 0. The group is closed.
///
/// # Safety
/// `uri` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_delete_group(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    uri: *const c_char,
    recursive: u8,
) -> i32 {
    call(ctx, |_| get(group)?.delete(text(uri)?, recursive != 0))
}

/// Adds an array or a group as a member, when the group is closed.
///
/// # Safety
/// `uri` and `name` are null or texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_add_member(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    uri: *const c_char,
    relative: u8,
    name: *const c_char,
) -> i32 {
    call(ctx, |_| {
        get(group)?.change("Cannot add member")?.add(&NewMember {
            uri: text(uri)?,
            name: optional_text(name)?,
            is_relative: relative != 0,
            object_type: None,
        })
    })
}

/// As [`tiledb_group_add_member`], without looking what the member is.
///
/// # Safety
/// `uri` and `name` are null or texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_add_member_with_type(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    uri: *const c_char,
    relative: u8,
    name: *const c_char,
    kind: tiledb_object_t,
) -> i32 {
    call(ctx, |_| {
        let object_type = match kind {
            TILEDB_ARRAY => ObjectType::Array,
            TILEDB_GROUP => ObjectType::Group,
            _ => return Err(Error::argument("Invalid object `type`")),
        };
        get(group)?.change("Cannot add member")?.add(&NewMember {
            uri: text(uri)?,
            name: optional_text(name)?,
            is_relative: relative != 0,
            object_type: Some(object_type),
        })
    })
}

/// Removes a member by its name or URI, when the group is closed.
///
/// # Safety
/// `name_or_uri` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_remove_member(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    name_or_uri: *const c_char,
) -> i32 {
    call(ctx, |_| {
        let opened = get(group)?.change("Cannot mark member for removal")?;
        opened.remove(text(name_or_uri)?)
    })
}

/// Returns the number of members.
///
/// # Safety
/// `count` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_member_count(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    count: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let opened = get(group)?.read("Cannot get member count")?;
        put(count, opened.group.members().len() as u64)
    })
}

/// The program's variables for a member.
struct MemberPlaces {
    uri: *mut *mut tiledb_string_t,
    kind: *mut tiledb_object_t,
}

impl MemberPlaces {
    unsafe fn put(&self, opened: &OpenedGroup, member: &GroupMember) -> Result<()> {
        check_place(self.kind)?;
        Text::put(self.uri, opened.group.member_uri(member))?;
        put(self.kind, crate::object::number(member.object_type))
    }
}

/// Returns a member by its number, from 0. The name is null if it has none.
///
/// # Safety
/// `uri`, `kind` and `name` are null or point to variables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_member_by_index_v2(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    index: u64,
    uri: *mut *mut tiledb_string_t,
    kind: *mut tiledb_object_t,
    name: *mut *mut tiledb_string_t,
) -> i32 {
    call(ctx, |_| {
        let opened = get(group)?.read("Cannot get member by index")?;
        check_place(uri)?;
        check_place(kind)?;
        check_place(name)?;
        let member = opened.numbered(index)?;
        match &member.name {
            Some(text) => Text::put(name, text.as_str())?,
            None => put(name, std::ptr::null_mut())?,
        }
        MemberPlaces { uri, kind }.put(&opened, member)
    })
}

/// Returns a member by its name.
///
/// # Safety
/// `name` is null or a text; `uri` and `kind` are null or point to variables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_member_by_name_v2(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    name: *const c_char,
    uri: *mut *mut tiledb_string_t,
    kind: *mut tiledb_object_t,
) -> i32 {
    call(ctx, |_| {
        let opened = get(group)?.read("Cannot get member by name")?;
        let member = opened.named(text(name)?)?;
        MemberPlaces { uri, kind }.put(&opened, member)
    })
}

/// Says whether the URI of a member is relative to the group.
///
/// # Safety
/// `name` is null or a text; `relative` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_is_relative_uri_by_name(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    name: *const c_char,
    relative: *mut u8,
) -> i32 {
    call(ctx, |_| {
        let opened = get(group)?.read("Cannot get member by name")?;
        put(relative, u8::from(opened.named(text(name)?)?.relative))
    })
}

/// Returns the group and its members as text; with `recursive` those of the groups in it, too.
///
/// # Safety
/// `dump_ascii` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_dump_str_v2(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    dump_ascii: *mut *mut tiledb_string_t,
    recursive: u8,
) -> i32 {
    call(ctx, |_| {
        let opened = get(group)?.opened("Cannot dump group")?;
        Text::put(dump_ascii, opened.dump(recursive != 0))
    })
}

/// Sets a value of the metadata; it is stored when the group is closed.
///
/// # Safety
/// `key` is null or a text; `value` is null or points to `value_num` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_put_metadata(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    key: *const c_char,
    value_type: tiledb_datatype_t,
    value_num: u32,
    value: *const c_void,
) -> i32 {
    call(ctx, |_| {
        let opened = get(group)?.change("Cannot put metadata")?;
        if value_type == TILEDB_ANY {
            let text = "Cannot put metadata; Value type cannot be ANY";
            return Err(Error::short("Group", text));
        }
        opened.change_metadata(MetadataRecord {
            key: text(key)?.to_owned(),
            value: Some(value_of(value_type, value_num, value)?),
        });
        Ok(())
    })
}

/// Removes a key of the metadata when the group is closed.
///
/// # Safety
/// `key` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_delete_metadata(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    key: *const c_char,
) -> i32 {
    call(ctx, |_| {
        let opened = get(group)?.change("Cannot delete metadata")?;
        opened.change_metadata(MetadataRecord {
            key: text(key)?.to_owned(),
            value: None,
        });
        Ok(())
    })
}

/// Returns the value of a key; a null pointer if there is no such key.
///
/// # Safety
/// `key` is null or a text, the last three arguments are null or point to variables. The value may be read until the
/// handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_metadata(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    key: *const c_char,
    value_type: *mut tiledb_datatype_t,
    value_num: *mut u32,
    value: *mut *const c_void,
) -> i32 {
    call(ctx, |_| {
        let group = get(group)?;
        let opened = group.read("Cannot get metadata")?;
        let places = ValuePlaces {
            datatype: value_type,
            count: value_num,
            pointer: value,
        };
        places.put(opened.metadata()?.get(text(key)?), &group.lent)
    })
}

/// Returns the number of keys.
///
/// # Safety
/// `num` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_metadata_num(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    num: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let opened = get(group)?.read("Cannot get number of metadata")?;
        put(num, opened.metadata()?.len() as u64)
    })
}

/// Returns a key and its value by its number, in the order of keys.
///
/// # Safety
/// The last five arguments are null or point to variables. Key and value may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_metadata_from_index(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    index: u64,
    key: *mut *const c_char,
    key_len: *mut u32,
    value_type: *mut tiledb_datatype_t,
    value_num: *mut u32,
    value: *mut *const c_void,
) -> i32 {
    call(ctx, |_| {
        let group = get(group)?;
        let opened = group.read("Cannot get metadata")?;
        let found = opened.metadata()?.iter().nth(self::index(index)?);
        let (name, found) = found
            .ok_or_else(|| Error::short("Metadata", "Cannot get metadata; index out of bounds"))?;
        let key_length = u32::try_from(name.len());
        let length = key_length.map_err(|_| Error::argument("a key of more than 2^32 bytes"))?;
        put(key, group.lent.text(name)?)?;
        put(key_len, length)?;
        let places = ValuePlaces {
            datatype: value_type,
            count: value_num,
            pointer: value,
        };
        places.put(Some(found), &group.lent)
    })
}

/// Says whether there is a key, and the datatype of its value.
///
/// # Safety
/// `key` is null or a text; the last two arguments are null or point to numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_has_metadata_key(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    key: *const c_char,
    value_type: *mut tiledb_datatype_t,
    has_key: *mut i32,
) -> i32 {
    call(ctx, |_| {
        let opened = get(group)?.read("Cannot get metadata")?;
        check_place(value_type)?;
        let found = opened.metadata()?.get(text(key)?);
        put(has_key, i32::from(found.is_some()))?;
        if let Some(value) = found {
            put(value_type, datatypes::code(value.datatype))?;
        }
        Ok(())
    })
}

/// Removes metadata that a consolidation has replaced.
///
/// # Safety
/// `group_uri` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_vacuum_metadata(
    ctx: *mut tiledb_ctx_t,
    group_uri: *const c_char,
    config: *mut tiledb_config_t,
) -> i32 {
    call(ctx, |context| {
        let engine = crate::consolidation::engine_with(context, config)?;
        engine
            .vacuum_group_metadata(text(group_uri)?)
            .map_err(|error| {
                let text = match error.kind() {
                    ErrorKind::NotFound => "Group does not exist".to_owned(),
                    _ => error.to_string(),
                };
                Error::short("Group", format!("Cannot vacuum group metadata; {text}"))
            })
    })
}

#[cfg(test)]
mod tests;
