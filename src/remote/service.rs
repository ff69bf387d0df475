//! Sends the HTTP requests of the stores of the crate `object_store`, at the pace of each server.
//!
//! Only responses with a 2xx status are returned to a store. All others become a [`ServiceError`].

use super::MAX_OBJECT_IN_MEMORY_BYTES;
use super::pace::Refusal;
use super::retry::StatusMeaning;
use super::server::{Server, Servers};
use async_trait::async_trait;
use http_body_util::{BodyExt, Limited};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody,
    HttpResponse, HttpResponseBody, HttpService,
};
use reqwest::header::{
    AUTHORIZATION, CONTENT_LENGTH, CONTENT_RANGE, COOKIE, ETAG, HeaderMap, HeaderName, HeaderValue,
    LAST_MODIFIED, LOCATION, RANGE, RETRY_AFTER,
};
use reqwest::{Method, StatusCode, Url};
use std::error::Error as _;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fmt, iter};
use url::Host;

/// The most redirects that are followed.
const MAX_REDIRECTS: usize = 5;

/// The most bytes that are read from the body of a response without a 2xx status. The body may
/// contain an error code.
const MAX_REASON_BYTES: usize = 4096;

/// A header that every signed request to S3 has, and no other request.
const SIGNED_REQUEST_HEADER: &str = "x-amz-content-sha256";

/// The time without an answer after which a request for credentials fails.
const CREDENTIALS_TIMEOUT: Duration = Duration::from_secs(10);

/// The longest wait that `Retry-After` can request. All requests to the server are paused for this
/// time, so without a limit a server could stop a run for ever.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(600);

/// The longest answer of a service that issues credentials. They have a few KiB.
const MAX_CREDENTIALS_BYTES: u64 = 1 << 20;

errors::reasons! {
    /// The failure of a request.
    #[derive(Debug)]
    pub(super) enum ServiceError at place {
        /// The status is not 2xx.
        Status {
            status: u16,
            reason: String,
            /// The time at which the request was sent.
            sent: Instant,
            /// The server that answered, after redirects.
            server: Arc<Server>,
        } => "{reason}";
        /// A request for credentials for S3 failed.
        Credentials { why: String } => "there are no credentials: {why}";
        /// A redirect is not followed.
        Redirect { why: String } => "{why}";
        /// The URL is not valid, the connection failed, or no response arrived in time.
        NoResponse { why: String } => "{why}";
        /// A response of unknown length was not received to its end.
        Interrupted { why: String } => "{why}";
        /// A response does not state its length, and is too long to be received in memory.
        UnknownLength => "the server does not say how long it is";
    }
}

impl std::error::Error for ServiceError {}

impl ServiceError {
    /// Returns the failed request that caused an error of a store; `None` for other causes.
    pub(super) fn find_in_causes(error: &object_store::Error) -> Option<&Self> {
        let mut causes = iter::successors(error.source(), |&error| error.source());
        causes.find_map(|cause| cause.downcast_ref())
    }
}

impl From<ServiceError> for HttpError {
    fn from(error: ServiceError) -> Self {
        HttpError::new(HttpErrorKind::Unknown, error)
    }
}

/// The kind of response that a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExpectedResponse {
    /// A whole object, with status 200.
    WholeObject,
    /// A range of an object, or all of it.
    ObjectOrRange,
}

/// Sends the HTTP requests of a store, at the pace of their servers.
#[derive(Clone)]
pub(super) struct Service {
    pub(super) client: reqwest::Client,
    pub(super) servers: Arc<Servers>,
    /// The highest rate of a server, in requests a second; `None` for no limit.
    pub(super) rate_ceiling: Option<f64>,
    /// The bucket, if the store is one of S3. All requests have the pace of the bucket. They are
    /// signed, so redirects are not followed.
    pub(super) bucket: Option<Arc<Server>>,
    /// True if requests to S3 are not signed.
    pub(super) is_anonymous: bool,
    /// The time without a response after which a request fails.
    pub(super) stall_timeout: Duration,
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").finish_non_exhaustive()
    }
}

impl HttpConnector for Service {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

#[async_trait]
impl HttpService for Service {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let no_response_error = |why: String| ServiceError::NoResponse { why };
        let url = parts.uri.to_string().parse::<Url>();
        let mut url = url.map_err(|error| no_response_error(error.to_string()))?;
        let mut headers = parts.headers;
        // The builder moves user information from the URL to a header.
        let plain_request = self.client.get(url).build();
        let mut plain_request = plain_request
            .map_err(|error| no_response_error(innermost_message(&error.without_url())))?;
        if let Some(authorization) = plain_request.headers_mut().remove(AUTHORIZATION) {
            headers.insert(AUTHORIZATION, authorization);
        }
        url = plain_request.url().clone();
        // Requests for credentials go to other servers than the bucket, and are not signed.
        if self.bucket.is_some()
            && !self.is_anonymous
            && !headers.contains_key(SIGNED_REQUEST_HEADER)
        {
            return Ok(self
                .request_credentials(parts.method, url, headers, body)
                .await?);
        }
        let expected = if headers.contains_key(RANGE) {
            ExpectedResponse::ObjectOrRange
        } else {
            ExpectedResponse::WholeObject
        };
        let given_url = url.clone();
        let mut redirects = 0;
        loop {
            let (sent, server, response) = self
                .send(parts.method.clone(), url.clone(), &headers, body.clone())
                .await?;
            let target = response.headers().get(LOCATION);
            let (Some(target), true) = (target, response.status().is_redirection()) else {
                return self
                    .prepare_response(sent, server, expected, response)
                    .await;
            };
            if self.bucket.is_some() {
                return self
                    .prepare_response(sent, server, expected, response)
                    .await;
            }
            redirects += 1;
            let target = redirect_target(&url, target, redirects)?;
            if is_internal(&target).await && !is_internal(&given_url).await {
                let why =
                    "it is redirected to a private, loopback or link-local address".to_owned();
                return Err(ServiceError::Redirect { why }.into());
            }
            if target.host_str() != url.host_str()
                || target.port_or_known_default() != url.port_or_known_default()
            {
                remove_credentials(&mut headers);
            }
            url = target;
        }
    }
}

impl Service {
    fn server(&self, url: &Url) -> Arc<Server> {
        if let Some(bucket) = &self.bucket {
            return Arc::clone(bucket);
        }
        let host = url.host_str().unwrap_or_default();
        let port = url.port_or_known_default().unwrap_or_default();
        self.servers
            .get(&format!("{host}:{port}"), self.rate_ceiling)
    }

    /// Sends one request at the pace of its server.
    async fn send(
        &self,
        method: Method,
        url: Url,
        headers: &HeaderMap,
        body: HttpRequestBody,
    ) -> Result<(Instant, Arc<Server>, reqwest::Response), ServiceError> {
        let server = self.server(&url);
        let request = new_request(method, url, headers.clone(), body);
        let sent = server.wait_until_allowed().await;
        let answer = tokio::time::timeout(self.stall_timeout, self.client.execute(request)).await;
        let why = match answer {
            Ok(Ok(response)) => {
                note_status(&server, sent, &response);
                return Ok((sent, server, response));
            }
            Ok(Err(error)) => {
                let is_unreachable = error.is_connect();
                let why = innermost_message(&error.without_url());
                if !is_unreachable {
                    // The server was reached, so its other requests are not paused. This object is
                    // requested again after a wait of its own.
                    return Err(ServiceError::Interrupted { why });
                }
                why
            }
            Err(_) => format!("no response within {} s", self.stall_timeout.as_secs_f64()),
        };
        server.note_refusal(Refusal::Unreachable, sent, None, &why);
        Err(ServiceError::NoResponse { why })
    }

    /// Converts a response for the store. A status other than 2xx is an error.
    async fn prepare_response(
        &self,
        sent: Instant,
        server: Arc<Server>,
        expected: ExpectedResponse,
        response: reqwest::Response,
    ) -> Result<HttpResponse, HttpError> {
        let status = response.status();
        let mut response = convert_response(response);
        if self.bucket.is_none() {
            retain_needed_headers(response.headers_mut());
        }
        if status.is_success() {
            return Ok(match expected {
                ExpectedResponse::WholeObject if status != StatusCode::OK => {
                    let why = format!("the server answered {status} instead of the whole object");
                    return Err(ServiceError::Interrupted { why }.into());
                }
                ExpectedResponse::WholeObject | ExpectedResponse::ObjectOrRange => {
                    ensure_length(response, self.stall_timeout).await?
                }
            });
        }
        let body = Limited::new(response.into_body(), MAX_REASON_BYTES).collect();
        let body = tokio::time::timeout(self.stall_timeout, body).await;
        let body = body.ok().and_then(Result::ok).map(|body| body.to_bytes());
        let code = body.as_deref().and_then(parse_s3_error_code);
        Err(ServiceError::Status {
            status: status.as_u16(),
            sent,
            server,
            reason: match code {
                Some(code) => format!("{status}: {code}"),
                None => status.to_string(),
            },
        }
        .into())
    }
}

impl Service {
    /// Requests credentials. The rate of these requests is not limited.
    async fn request_credentials(
        &self,
        method: Method,
        url: Url,
        headers: HeaderMap,
        body: HttpRequestBody,
    ) -> Result<HttpResponse, ServiceError> {
        let credentials_error = |why: String| ServiceError::Credentials { why };
        let request = self.client.execute(new_request(method, url, headers, body));
        let response = tokio::time::timeout(CREDENTIALS_TIMEOUT, request).await;
        let response = response.map_err(|_| credentials_error("no answer".to_owned()))?;
        let response =
            response.map_err(|error| credentials_error(innermost_message(&error.without_url())))?;
        if !response.status().is_success() {
            return Err(credentials_error(response.status().to_string()));
        }
        let (parts, body) = convert_response(response).into_parts();
        let bytes = receive_body(body, MAX_CREDENTIALS_BYTES, CREDENTIALS_TIMEOUT).await?;
        let bytes = bytes
            .ok_or_else(|| credentials_error(format!("more than {MAX_CREDENTIALS_BYTES} bytes")))?;
        Ok(HttpResponse::from_parts(parts, bytes.into()))
    }
}

/// Creates a request. An empty body is left out.
fn new_request(
    method: Method,
    url: Url,
    headers: HeaderMap,
    body: HttpRequestBody,
) -> reqwest::Request {
    let mut request = reqwest::Request::new(method, url);
    *request.headers_mut() = headers;
    // `HttpRequestBody::is_empty` of object_store 0.14.2 is not used, because it is true even for some bodies with
    // bytes.
    if body.content_length() > 0 {
        *request.body_mut() = Some(reqwest::Body::wrap(body));
    }
    request
}

/// Removes all headers but those that a store needs to read an object. Otherwise a store would refuse
/// an object because an unneeded header is malformed.
fn retain_needed_headers(headers: &mut HeaderMap) {
    let mut needed = HeaderMap::new();
    for name in [CONTENT_LENGTH, CONTENT_RANGE, ETAG, LAST_MODIFIED] {
        if let Some(value) = headers.remove(&name)
            && let Ok(text) = value.to_str()
            && (name != LAST_MODIFIED || chrono::DateTime::parse_from_rfc2822(text).is_ok())
        {
            needed.insert(name, value);
        }
    }
    *headers = needed;
}

/// Notes the status of a response for the pace of its server.
fn note_status(server: &Server, sent: Instant, response: &reqwest::Response) {
    let status = response.status();
    match StatusMeaning::of(status.as_u16()) {
        StatusMeaning::TooFast => {
            let wait = response.headers().get(RETRY_AFTER);
            let wait = wait.and_then(parse_retry_after);
            server.note_refusal(Refusal::TooFast, sent, wait, &format!("answered {status}"));
            server.note_answer();
        }
        StatusMeaning::Denied => {}
        _ => {
            server.note_answer();
            if !status.is_server_error() {
                server.note_success(sent);
            }
        }
    }
}

/// Parses `Retry-After`, which is a number of seconds or a date (RFC 9110, section 10.2.3).
fn parse_retry_after(value: &HeaderValue) -> Option<Duration> {
    let text = value.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds).min(MAX_RETRY_AFTER));
    }
    let date = chrono::DateTime::parse_from_rfc2822(text).ok()?;
    let now = std::time::SystemTime::now();
    let now = now.duration_since(std::time::UNIX_EPOCH).ok()?;
    let date = Duration::from_secs(u64::try_from(date.timestamp()).unwrap_or(0));
    // A part of a second is rounded up, so that no request is early.
    let wait = date.saturating_sub(now) + Duration::from_secs(1);
    Some(wait.min(MAX_RETRY_AFTER))
}

/// Returns the target of a redirect, or an error if it must not be followed.
fn redirect_target(
    source_url: &Url,
    target: &HeaderValue,
    redirects: usize,
) -> Result<Url, ServiceError> {
    let refuse = |why: &str| {
        Err(ServiceError::Redirect {
            why: why.to_owned(),
        })
    };
    if redirects > MAX_REDIRECTS {
        return refuse("it is redirected more than 5 times");
    }
    let target = target
        .to_str()
        .ok()
        .and_then(|target| source_url.join(target).ok());
    match target {
        Some(target) if !matches!(target.scheme(), "http" | "https") => {
            refuse("it is redirected to another protocol than http and https")
        }
        Some(target) if source_url.scheme() == "https" && target.scheme() == "http" => {
            refuse("it is redirected from https to http")
        }
        Some(mut target) => {
            // User information in the target comes from a server and not from the user, so it is not sent.
            let _ = target.set_username("");
            let _ = target.set_password(None);
            Ok(target)
        }
        None => refuse("it is redirected to something that is not a URL"),
    }
}

/// Returns true if the host of a URL is an internal address, or a name that has one. A name that cannot be looked up
/// has none: a proxy looks it up, or the request fails.
async fn is_internal(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            let addresses = tokio::net::lookup_host((name, 0)).await;
            addresses.is_ok_and(|mut found| found.any(|address| is_internal_address(address.ip())))
        }
        Some(Host::Ipv4(address)) => is_internal_address(address.into()),
        Some(Host::Ipv6(address)) => is_internal_address(address.into()),
        None => false,
    }
}

/// Returns true for an address that is not of the Internet: private, loopback, link-local, shared (RFC 6598) or
/// unspecified. An address of IPv6 that stands for one of IPv4 is read as that.
fn is_internal_address(address: IpAddr) -> bool {
    const NAT64_PREFIX: [u16; 6] = [0x64, 0xff9b, 0, 0, 0, 0];
    match address {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            let is_shared = a == 100 && b & 0xc0 == 64;
            v4.is_private() || v4.is_loopback() || v4.is_link_local() || is_shared || a == 0
        }
        IpAddr::V6(v6) if v6.segments()[..6] == NAT64_PREFIX => {
            is_internal_address(Ipv4Addr::from_bits(v6.to_bits() as u32).into())
        }
        IpAddr::V6(v6) => match v6.to_ipv4() {
            Some(v4) => is_internal_address(v4.into()),
            None => v6.is_unique_local() || v6.is_unicast_link_local(),
        },
    }
}

/// Converts a response to the type of the stores.
fn convert_response(response: reqwest::Response) -> HttpResponse {
    let (status, headers) = (response.status(), response.headers().clone());
    let body = reqwest::Body::from(response);
    let receive_error =
        |error: reqwest::Error| HttpError::new(HttpErrorKind::Interrupted, error.without_url());
    let mut response = HttpResponse::new(HttpResponseBody::new(body.map_err(receive_error)));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

/// Adds the header `Content-Length`, which the stores need, if it is missing. For this, the body is
/// received; [`MAX_OBJECT_IN_MEMORY_BYTES`] limits its size.
async fn ensure_length(
    response: HttpResponse,
    stall_timeout: Duration,
) -> Result<HttpResponse, ServiceError> {
    if response.headers().contains_key(CONTENT_LENGTH) {
        return Ok(response);
    }
    let (mut parts, body) = response.into_parts();
    let bytes = receive_body(body, MAX_OBJECT_IN_MEMORY_BYTES, stall_timeout).await?;
    let bytes = bytes.ok_or(ServiceError::UnknownLength)?;
    parts.headers.insert(CONTENT_LENGTH, bytes.len().into());
    Ok(HttpResponse::from_parts(parts, bytes.into()))
}

/// Receives a body; returns `None` if it has more than `max_bytes`.
async fn receive_body(
    mut body: HttpResponseBody,
    max_bytes: u64,
    stall_timeout: Duration,
) -> Result<Option<Vec<u8>>, ServiceError> {
    let interruption_error = |why: &str| ServiceError::Interrupted {
        why: why.to_owned(),
    };
    let mut bytes = Vec::new();
    loop {
        let frame = tokio::time::timeout(stall_timeout, body.frame()).await;
        let frame = frame.map_err(|_| interruption_error("the response stalled"))?;
        let Some(frame) = frame else {
            return Ok(Some(bytes));
        };
        let frame =
            frame.map_err(|_| interruption_error("the connection ended in the response"))?;
        let data = frame.into_data().unwrap_or_default();
        if (bytes.len() + data.len()) as u64 > max_bytes {
            return Ok(None);
        }
        bytes.extend_from_slice(&data);
    }
}

/// Parses the error code in the XML of an error response of S3.
fn parse_s3_error_code(body: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(body).ok()?;
    let (_, rest) = text.split_once("<Code>")?;
    let (code, _) = rest.split_once("</Code>")?;
    let is_code = code.len() <= 100 && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_code.then(|| code.to_owned())
}

/// Returns the message of the innermost cause of an error, which is the most specific one.
pub(super) fn innermost_message(error: &dyn std::error::Error) -> String {
    let causes = iter::successors(Some(error), |&error| error.source());
    causes.last().map_or_else(String::new, ToString::to_string)
}

/// Removes all headers that identify the client.
fn remove_credentials(headers: &mut HeaderMap) {
    let is_secret = |name: &HeaderName| {
        *name == AUTHORIZATION || *name == COOKIE || name.as_str().starts_with("x-amz-")
    };
    let names: Vec<HeaderName> = headers
        .keys()
        .filter(|name| is_secret(name))
        .cloned()
        .collect();
    for name in names {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_counts_up_to_a_limit() {
        let wait = |text: &str| parse_retry_after(&HeaderValue::from_str(text).unwrap());
        assert_eq!(wait("7"), Some(Duration::from_secs(7)));
        for year in ["31536000", "Wed, 21 Oct 2099 07:28:00 GMT"] {
            assert_eq!(wait(year), Some(MAX_RETRY_AFTER), "{year}");
        }
        let past = wait("Wed, 21 Oct 2015 07:28:00 GMT");
        assert_eq!(past, Some(Duration::from_secs(1)));
        for other in ["-5", "", "99999999999999999999999", "soon"] {
            assert_eq!(wait(other), None, "{other}");
        }
    }

    #[test]
    fn internal_addresses_are_recognized_in_every_form() {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_all().build().unwrap();
        let is_internal = |host: &str| {
            let url = Url::parse(&format!("http://{host}/a")).unwrap();
            runtime.block_on(is_internal(&url))
        };
        for host in [
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f.0.0.1",
            "0.0.0.0",
            "10.1.2.3",
            "172.31.255.255",
            "192.168.0.1",
            "169.254.169.254",
            "100.64.0.1",
            "[::1]",
            "[::]",
            "[::ffff:10.0.0.1]",
            "[64:ff9b::169.254.169.254]",
            "[fe80::1]",
            "[fd00:ec2::254]",
            "localhost",
        ] {
            assert!(is_internal(host), "{host}");
        }
        for host in ["8.8.8.8", "172.32.0.1", "100.128.0.1", "[2606:4700::1111]"] {
            assert!(!is_internal(host), "{host}");
        }
        assert!(!is_internal("a.invalid"));
    }
}
