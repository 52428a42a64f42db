//! Which programs and web pages may open a WebSocket to the engine.

use tungstenite::handshake::server::{Callback, ErrorResponse, Request, Response};
use tungstenite::http::StatusCode;
use tungstenite::http::header::ORIGIN;

use super::token::ToolToken;

/// Refuses pages that do not come from this machine: a browser lets any page connect to any port,
/// and sends the page's origin along, so that the server may judge it. Refuses an address without
/// the token, too: a page that another user of this machine serves does not know it.
#[derive(Clone, Copy, Debug)]
pub(super) struct OriginCheck {
    pub(super) token: Option<ToolToken>,
}

impl Callback for OriginCheck {
    fn on_request(self, request: &Request, response: Response) -> Result<Response, ErrorResponse> {
        let path = request.uri().path().trim_start_matches('/');
        if self.token.is_some_and(|token| !token.matches(path)) {
            return Err(refusal(concat!(
                "this port wants its token as the path of the address, ws://ADDRESS/TOKEN; ",
                "the engine prints it and keeps it in the file `tools` of the data folder\n"
            )));
        }
        // Programs that are not browsers send no origin.
        let good = request
            .headers()
            .get(ORIGIN)
            .is_none_or(|origin| origin.to_str().is_ok_and(is_of_this_machine));
        if good {
            return Ok(response);
        }
        Err(refusal(
            "pages of this machine alone (http://localhost, http://127.0.0.1) may connect\n",
        ))
    }
}

fn refusal(why: &str) -> ErrorResponse {
    let mut refusal = ErrorResponse::new(Some(why.into()));
    *refusal.status_mut() = StatusCode::FORBIDDEN;
    refusal
}

/// Returns `true` if a page was served by this machine, on whichever port.
fn is_of_this_machine(origin: &str) -> bool {
    let host = ["http://", "https://"].iter().find_map(|scheme| origin.strip_prefix(scheme));
    host.is_some_and(|host| {
        ["localhost", "127.0.0.1", "[::1]"].iter().any(|own| {
            let port = host.strip_prefix(own);
            port.is_some_and(|port| {
                let digits = port.strip_prefix(':');
                port.is_empty() || digits.is_some_and(|d| d.bytes().all(|b| b.is_ascii_digit()))
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::is_of_this_machine;

    #[test]
    fn pages_of_this_machine_are_told_from_others() {
        for good in
            ["http://localhost", "http://localhost:8080", "https://127.0.0.1:1", "http://[::1]:9"]
        {
            assert!(is_of_this_machine(good), "{good}");
        }
        for bad in [
            "null",
            "",
            "http://localhost.evil.example",
            "http://localhost:80.evil.example",
            "http://evil.example",
            "http://127.0.0.1.evil.example",
            "file://",
            "localhost",
        ] {
            assert!(!is_of_this_machine(bad), "{bad}");
        }
    }
}
