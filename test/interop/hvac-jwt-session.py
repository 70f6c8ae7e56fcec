"""Logs in with tokens of an identity provider, and with a browser, with hvac, as a program that knows nothing of this one."""

import sys
import urllib.error
import urllib.parse
import urllib.request

import hvac
from hvac import exceptions

url, token, issuer, jwt = sys.argv[1:5]
client = hvac.Client(url=url, token=token)


def refused(kind, act):
    try:
        act()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was expected")


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def redirect_of(address):
    try:
        urllib.request.build_opener(NoRedirect).open(address)
    except urllib.error.HTTPError as error:
        return error.headers["location"]


# Tokens of CI jobs.
client.sys.enable_auth_method("jwt")
method = client.auth.jwt
method.configure(oidc_discovery_url=issuer, bound_issuer=issuer, default_role="ci")
assert method.read_config()["data"]["oidc_discovery_url"] == issuer
method.create_role(
    name="ci",
    role_type="jwt",
    user_claim="sub",
    bound_audiences=["vault"],
    bound_claims={"repository": ["acme/web", "acme/api"]},
    allowed_redirect_uris=[],
    token_policies=["deploy"],
    token_ttl="1h",
)
assert method.read_role("ci")["data"]["bound_claims"] == {"repository": ["acme/web", "acme/api"]}
assert method.list_roles()["data"]["keys"] == ["ci"]
job = hvac.Client(url=url)
auth = job.auth.jwt.jwt_login(role="ci", jwt=jwt)["auth"]
assert auth["policies"] == ["default", "deploy"] and auth["lease_duration"] == 3600
assert job.is_authenticated()
error = refused(exceptions.InvalidRequest, lambda: job.auth.jwt.jwt_login(role="ci", jwt=jwt + "x"))
assert "error validating token" in str(error)
method.delete_role("ci")
print("jwt: configure, roles, log in, refuse")

# A person with a browser.
callback = "http://localhost:8250/oidc/callback"
client.sys.enable_auth_method("oidc")
people = client.auth.oidc
people.configure(oidc_discovery_url=issuer, oidc_client_id="vault", oidc_client_secret="s3cret", path="oidc")
people.create_role(
    name="dev", user_claim="sub", groups_claim="groups", allowed_redirect_uris=[callback], path="oidc"
)
started = people.oidc_authorization_url_request(role="dev", redirect_uri=callback, path="oidc")
back = urllib.parse.parse_qs(urllib.parse.urlparse(redirect_of(started["data"]["auth_url"])).query)


def finish():
    return people.oidc_callback(state=back["state"][0], code=back["code"][0], nonce="", path="oidc")


assert finish()["auth"]["metadata"] == {"role": "dev"}
refused(exceptions.InvalidRequest, finish)
print("oidc: configure, start, finish, once")
