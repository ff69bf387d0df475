//! Stores of the crate `object_store` for the URLs of objects.

use super::server::{Server, Servers};
use super::service::Service;
use super::{RemoteOptions, RemoteUrl, Scheme};
use crate::error::RemoteErrorKind;
use disk::without_secrets;
use errors::Error;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::http::HttpBuilder;
use object_store::path::Path;
use object_store::{BackoffConfig, ObjectStore, RetryConfig};
use std::collections::HashMap;
use std::fs;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The time after which a connection that is not established fails.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);

/// The largest file of root certificates that is read. That of an operating system has 250 KB.
const MAX_CA_BYTES: u64 = 16 << 20;

pub(super) type StoreAndPath = (Arc<dyn ObjectStore>, Path);

/// The stores of a process.
pub(super) struct Stores {
    service: Service,
    /// The highest rate for a server of http or https, in requests a second; `None` for no limit.
    http_rate_ceiling: Option<f64>,
    /// The highest rate for a bucket of S3, in requests a second; `None` for no limit.
    s3_rate_ceiling: Option<f64>,
    servers: Arc<Servers>,
    is_anonymous: bool,
    by_bucket: Mutex<HashMap<String, Arc<AmazonS3>>>,
}

impl Stores {
    pub(super) fn new(options: &RemoteOptions, service: Service) -> Self {
        Self {
            http_rate_ceiling: options.rate_ceiling(Scheme::Https),
            s3_rate_ceiling: options.rate_ceiling(Scheme::S3),
            servers: Arc::clone(&service.servers),
            is_anonymous: options.is_anonymous,
            by_bucket: Mutex::default(),
            service,
        }
    }

    /// Returns the store of an object, and its path in the store.
    pub(super) fn store_for(&self, url: &RemoteUrl) -> Result<StoreAndPath, Error> {
        match url.scheme() {
            Scheme::S3 => {
                let path = Path::parse(url.target());
                let path = path.map_err(|error| store_error(url, error))?;
                Ok((self.bucket_store(url)?, path))
            }
            Scheme::Http | Scheme::Https => {
                // Each object has its own store, since the URL of a store includes the query.
                let service = Service {
                    rate_ceiling: self.http_rate_ceiling,
                    ..self.service.clone()
                };
                let store = HttpBuilder::new()
                    .with_url(url.target())
                    .with_retry(no_retry_config())
                    .with_http_connector(service)
                    .build()
                    .map_err(|error| store_error(url, error))?;
                Ok((Arc::new(store), Path::default()))
            }
        }
    }

    /// Returns the server of an object on S3: its bucket.
    pub(super) fn bucket_server(&self, url: &RemoteUrl) -> Arc<Server> {
        let name = format!("s3://{}", url.server());
        self.servers.get(&name, self.s3_rate_ceiling)
    }

    /// Returns the server of an object over http or https.
    pub(super) fn http_server(&self, url: &RemoteUrl) -> Arc<Server> {
        self.servers.get(url.server(), self.http_rate_ceiling)
    }

    fn bucket_store(&self, url: &RemoteUrl) -> Result<Arc<AmazonS3>, Error> {
        let mut stores = self
            .by_bucket
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = stores.get(url.server()) {
            return Ok(Arc::clone(store));
        }
        let service = Service {
            bucket: Some(self.bucket_server(url)),
            ..self.service.clone()
        };
        let mut builder = AmazonS3Builder::from_env()
            .with_bucket_name(url.server())
            .with_retry(no_retry_config())
            .with_skip_signature(self.is_anonymous)
            .with_http_connector(service);
        let is_set = |key| builder.get_config_value(&key).is_some();
        let has_credentials = is_set(AmazonS3ConfigKey::AccessKeyId)
            || is_set(AmazonS3ConfigKey::WebIdentityTokenFile);
        let profile =
            std::env::var("AWS_PROFILE").or_else(|_| std::env::var("AWS_DEFAULT_PROFILE"));
        if let (false, false, Ok(profile)) = (self.is_anonymous, has_credentials, profile) {
            let why = format!(
                "the profile '{profile}' is not read, and there are no credentials: \
                 eval \"$(aws configure export-credentials --format env)\" exports them"
            );
            return Err(store_error(url, io::Error::other(why)));
        }
        if let Ok(region) = std::env::var("AWS_REGION") {
            builder = builder.with_region(region);
        }
        check_settings(&builder).map_err(|why| store_error(url, io::Error::other(why)))?;
        let store = builder.build().map_err(|error| store_error(url, error))?;
        let store = Arc::new(store);
        stores.insert(url.server().to_owned(), Arc::clone(&store));
        Ok(store)
    }
}

/// Checks settings that the store copies into requests, because it panics if one of them is
/// malformed. The description of a problem has the name of a secret setting, and never its value.
fn check_settings(builder: &AmazonS3Builder) -> Result<(), String> {
    use AmazonS3ConfigKey as Key;
    let value = |key: &Key| builder.get_config_value(key);
    let name = |key: &Key| match key {
        Key::Endpoint => "AWS_ENDPOINT_URL".to_owned(),
        _ => key.as_ref().to_uppercase(),
    };
    let is_region = |text: &str| {
        let is_region_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        !text.is_empty() && text.bytes().all(is_region_byte)
    };
    if let Some(region) = value(&Key::Region).filter(|region| !is_region(region)) {
        return Err(format!(
            "{} is '{region}', not a region",
            name(&Key::Region)
        ));
    }
    for key in [Key::AccessKeyId, Key::SecretAccessKey, Key::Token] {
        let is_key = |text: &String| text.bytes().all(|byte| byte.is_ascii_graphic());
        if value(&key).is_some_and(|text| !is_key(&text)) {
            let name = name(&key);
            return Err(format!(
                "{name} has a blank, a line break or another character that no key has"
            ));
        }
    }
    for key in [
        Key::Endpoint,
        Key::S3Endpoint,
        Key::StsEndpoint,
        Key::MetadataEndpoint,
        Key::ContainerCredentialsFullUri,
    ] {
        if let Some(text) = value(&key).filter(|text| !is_endpoint(text)) {
            let (name, text) = (name(&key), without_secrets(&text));
            return Err(format!(
                "{name} is '{text}', not a URL such as https://HOST"
            ));
        }
    }
    let key = Key::ContainerCredentialsRelativeUri;
    let is_path = |text: &str| text.starts_with('/') && is_endpoint(&format!("http://h{text}"));
    if let Some(path) = value(&key).filter(|path| !is_path(path)) {
        let (name, path) = (name(&key), without_secrets(&path));
        return Err(format!("{name} is '{path}', not a path"));
    }
    // A file that cannot be read is reported by the store.
    let key = Key::ContainerAuthorizationTokenFile;
    if let Some(path) = value(&key)
        && let Ok(token) = fs::read_to_string(&path)
        && !token
            .bytes()
            .all(|byte| byte == b' ' || byte.is_ascii_graphic())
    {
        let name = name(&key);
        return Err(format!(
            "the file of {name}, '{path}', has a line break or is not ASCII"
        ));
    }
    Ok(())
}

/// Returns true if a text is the URL of a server, with a host and without a fragment.
fn is_endpoint(text: &str) -> bool {
    let is_url_byte = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}#".contains(&byte);
    let url = reqwest::Url::parse(text);
    let is_url = url.is_ok_and(|url| {
        let is_http = matches!(url.scheme(), "http" | "https");
        is_http && url.host_str().is_some_and(|host| !host.is_empty())
    });
    let has_host = |text: &str| {
        let after_scheme = text.split_once("://");
        after_scheme.is_some_and(|(_, rest)| !rest.starts_with('/'))
    };
    is_url && has_host(text) && text.bytes().all(is_url_byte)
}

/// Builds the HTTP client that sends all requests.
pub(super) fn build_client(options: &RemoteOptions) -> Result<reqwest::Client, Error> {
    // Installing fails if the process already has a provider. Then that provider is used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("robots-scan/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .http1_only()
        .connect_timeout(CONNECT_TIMEOUT);
    if let Some(path) = &options.ca_file {
        let bytes = disk::read_user_file(path, MAX_CA_BYTES);
        let bytes = bytes.map_err(|error| Error::read(path, error))?;
        let certificates = reqwest::Certificate::from_pem_bundle(&bytes);
        let certificates = certificates
            .ok()
            .filter(|certificates| !certificates.is_empty());
        let kind = RemoteErrorKind::NoCertificate;
        let certificates = certificates.ok_or_else(|| Error::new(kind, path))?;
        builder = builder.tls_certs_merge(certificates);
    }
    builder
        .build()
        .map_err(|error| Error::with_source(RemoteErrorKind::NetworkStart, "", error))
}

/// Returns a configuration without retries, since `fetch.rs` repeats requests.
fn no_retry_config() -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig::default(),
        max_retries: 0,
        retry_timeout: Duration::from_secs(180),
    }
}

fn store_error(url: &RemoteUrl, error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::with_source(RemoteErrorKind::Store, url.display_path(), error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_fit_into_no_request_are_refused_without_their_secrets() {
        use AmazonS3ConfigKey as Key;
        let check = |key, value: &str| {
            check_settings(&AmazonS3Builder::new().with_config(key, value.to_owned()))
        };
        for (key, value) in [
            (Key::Region, "eu-west-1"),
            (Key::AccessKeyId, "AKIA0"),
            (Key::SecretAccessKey, "a/b+c="),
            (Key::Endpoint, "http://127.0.0.1:9000"),
            (Key::S3Endpoint, "https://[::1]:9000/path/"),
            (Key::ContainerCredentialsRelativeUri, "/v2/credentials?id=1"),
        ] {
            assert_eq!(check(key, value), Ok(()), "{value}");
        }
        for (key, value) in [
            (Key::Region, ""),
            (Key::Region, "eu west 1"),
            (Key::Region, "eu-west-1\n"),
            (Key::Region, "x.example/"),
            (Key::AccessKeyId, "secret\n"),
            (Key::SecretAccessKey, "secret secret"),
            (Key::Token, "secret\u{e9}"),
            (Key::Endpoint, ""),
            (Key::Endpoint, "127.0.0.1:9000"),
            (Key::Endpoint, "localhost:9000"),
            (Key::Endpoint, "http://"),
            (Key::Endpoint, "http:/h"),
            (Key::Endpoint, "http:///h"),
            (Key::Endpoint, "http://h h"),
            (Key::Endpoint, "http://h:99999"),
            (Key::Endpoint, "http://user:secret@h h"),
            (Key::Endpoint, "ftp://h"),
            (Key::S3Endpoint, "http://h\n"),
            (Key::StsEndpoint, "http://{h}"),
            (Key::MetadataEndpoint, "/latest"),
            (Key::ContainerCredentialsFullUri, "x"),
            (Key::ContainerCredentialsRelativeUri, " /v2"),
            (Key::ContainerCredentialsRelativeUri, "x"),
            (Key::ContainerCredentialsRelativeUri, "@h:p"),
        ] {
            let why = check(key, value).expect_err(value);
            assert!(why.starts_with("AWS_") && !why.contains("secret"), "{why}");
        }
    }

    #[test]
    fn a_token_in_a_file_has_no_line_break() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        for (token, is_valid) in [("Bearer a", true), ("secret\n", false)] {
            fs::write(&path, token).unwrap();
            let key = AmazonS3ConfigKey::ContainerAuthorizationTokenFile;
            let builder = AmazonS3Builder::new().with_config(key, path.to_string_lossy());
            let checked = check_settings(&builder);
            assert_eq!(checked.is_ok(), is_valid);
            assert!(!format!("{checked:?}").contains("secret"));
        }
    }
}
