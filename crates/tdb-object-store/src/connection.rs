//! Description of a connection, for users who want to know why a store cannot be reached.

use object_store::aws::AmazonS3ConfigKey;
use object_store::azure::AzureConfigKey;
use object_store::gcp::GoogleConfigKey;

use crate::connect::{azure_builder, gcs_builder};
use crate::s3::{self, S3Access};
use crate::{OpenError, RemoteUri, Service, Settings};

/// The destination of the requests for a URI, and the source of their credentials. Contains no secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Connection {
    /// The kind of store.
    pub service: Service,
    /// The bucket, container or server.
    pub root: String,
    /// The address for requests: that of the bucket for S3; otherwise that of the server. `None` if neither the
    /// settings nor the URI name one.
    pub endpoint: Option<String>,
    /// The region, for services with regions.
    pub region: Option<String>,
    /// The source of the credentials, as text: the first one that has any.
    pub credentials: String,
}

impl Connection {
    /// Describes the connection for a URI, without sending a request.
    ///
    /// ```
    /// use tdb_object_store::{Connection, Settings};
    ///
    /// let mut settings = Settings::new();
    /// settings.set("vfs.s3.region", "eu-central-1");
    /// settings.set("vfs.s3.no_sign_request", "true");
    /// let found = Connection::of("s3://weather/2024", &settings)?;
    /// assert_eq!(found.region.as_deref(), Some("eu-central-1"));
    /// assert_eq!(found.credentials, "none: vfs.s3.no_sign_request asks for unsigned requests");
    /// # Ok::<(), tdb_object_store::OpenError>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenError::Uri`] if the URI names no folder, [`OpenError::Settings`] if the settings cannot be read.
    pub fn of(uri: &str, settings: &Settings) -> Result<Self, OpenError> {
        let RemoteUri { service, root, .. } = RemoteUri::parse(uri)?;
        match service {
            Service::S3 => s3(root, settings).map_err(|reason| OpenError::Settings {
                uri: uri.to_owned(),
                reason,
            }),
            Service::Azure => Ok(azure(root, settings)),
            Service::Gcs => Ok(gcs(root, settings)),
            Service::Http => Ok(Self {
                service,
                endpoint: Some(root.clone()),
                root,
                region: None,
                credentials: "none: servers of files are asked without".to_owned(),
            }),
        }
    }
}

fn s3(root: String, settings: &Settings) -> Result<Connection, String> {
    let S3Access {
        builder,
        address,
        profile,
        ..
    } = s3::access(&root, settings)?;
    let value = |key: AmazonS3ConfigKey| builder.get_config_value(&key).filter(|v| !v.is_empty());
    let credentials = if value(AmazonS3ConfigKey::SkipSignature).as_deref() == Some("true") {
        "none: vfs.s3.no_sign_request asks for unsigned requests"
    } else if settings.get("s3.aws_access_key_id").is_some() {
        "the setting vfs.s3.aws_access_key_id"
    } else if let Some(name) = profile {
        &format!("the profile {name} of AWS's files")
    } else if value(AmazonS3ConfigKey::AccessKeyId).is_some() {
        "AWS_ACCESS_KEY_ID of the environment"
    } else if value(AmazonS3ConfigKey::WebIdentityTokenFile).is_some() {
        "AWS_WEB_IDENTITY_TOKEN_FILE of the environment"
    } else if value(AmazonS3ConfigKey::ContainerCredentialsRelativeUri).is_some() {
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI of the environment"
    } else if value(AmazonS3ConfigKey::ContainerCredentialsFullUri).is_some() {
        "AWS_CONTAINER_CREDENTIALS_FULL_URI of the environment"
    } else {
        "the role of the machine, if it has one: neither settings, environment nor a profile name any"
    };
    Ok(Connection {
        service: Service::S3,
        endpoint: address,
        region: value(AmazonS3ConfigKey::Region)
            .or_else(|| value(AmazonS3ConfigKey::DefaultRegion)),
        root,
        credentials: credentials.to_owned(),
    })
}

fn azure(root: String, settings: &Settings) -> Connection {
    let builder = azure_builder(&root, settings);
    let value = |key: AzureConfigKey| builder.get_config_value(&key).filter(|v| !v.is_empty());
    let credentials = if settings.get("azure.storage_account_key").is_some() {
        "the setting vfs.azure.storage_account_key"
    } else if value(AzureConfigKey::AccessKey).is_some() {
        "AZURE_STORAGE_ACCOUNT_KEY of the environment"
    } else if settings.get("azure.storage_sas_token").is_some() {
        "the setting vfs.azure.storage_sas_token"
    } else if value(AzureConfigKey::SasKey).is_some() {
        "AZURE_STORAGE_SAS_TOKEN of the environment"
    } else if value(AzureConfigKey::ClientSecret).is_some() {
        "AZURE_STORAGE_CLIENT_SECRET of the environment"
    } else if value(AzureConfigKey::FederatedTokenFile).is_some() {
        "AZURE_FEDERATED_TOKEN_FILE of the environment"
    } else {
        "the identity of the machine, if it has one: neither settings nor environment name any"
    };
    let account = value(AzureConfigKey::AccountName);
    let named = account.map(|account| format!("{root} of the account {account}"));
    Connection {
        service: Service::Azure,
        endpoint: value(AzureConfigKey::Endpoint),
        region: None,
        root: named.unwrap_or(root),
        credentials: credentials.to_owned(),
    }
}

fn gcs(root: String, settings: &Settings) -> Connection {
    let builder = gcs_builder(&root, settings);
    let value = |key: GoogleConfigKey| builder.get_config_value(&key).filter(|v| !v.is_empty());
    let credentials = if settings.get("gcs.service_account_key").is_some() {
        "the setting vfs.gcs.service_account_key"
    } else if value(GoogleConfigKey::ServiceAccount).is_some() {
        "GOOGLE_SERVICE_ACCOUNT of the environment"
    } else if value(GoogleConfigKey::ServiceAccountKey).is_some() {
        "GOOGLE_SERVICE_ACCOUNT_KEY of the environment"
    } else if value(GoogleConfigKey::ApplicationCredentials).is_some() {
        "GOOGLE_APPLICATION_CREDENTIALS of the environment"
    } else {
        "what gcloud has stored, or the account of the machine: neither settings nor environment name any"
    };
    Connection {
        service: Service::Gcs,
        endpoint: value(GoogleConfigKey::BaseUrl),
        region: None,
        root,
        credentials: credentials.to_owned(),
    }
}
