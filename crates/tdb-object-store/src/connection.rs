//! What a URI and settings lead to, in words: for those who look for the reason why a store cannot be reached.

use object_store::aws::AmazonS3ConfigKey;
use object_store::azure::AzureConfigKey;
use object_store::gcp::GoogleConfigKey;

use crate::connect::{azure_builder, gcs_builder};
use crate::s3::{self, S3Access};
use crate::{OpenError, RemoteUri, Service, Settings};

/// Where requests for a URI go, and by what they are signed. Nothing secret is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Connection {
    /// The kind of store.
    pub service: Service,
    /// The bucket, container or server.
    pub root: String,
    /// The address that is asked: of S3 that of the bucket; else of the server, where a setting or the URI names it.
    pub endpoint: Option<String>,
    /// The region, for services that have some.
    pub region: Option<String>,
    /// Where the credentials come from, the first of those that there are.
    pub credentials: String,
}

impl Connection {
    /// What a URI leads to; nothing is asked of the server.
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
    /// A URI that names no folder; settings that cannot be read.
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
