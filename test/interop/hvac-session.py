"""Drives a secrets service with hvac, as a program that knows nothing of this one would. Prints what it saw."""

import base64
import os
import sys

import hvac
from hvac import exceptions

url, token = sys.argv[1], sys.argv[2]
client = hvac.Client(url=url, token=token)


def refused(kind, act):
    try:
        act()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was expected")


# Status.
assert client.is_authenticated()
assert client.sys.is_initialized()
assert not client.sys.is_sealed()
assert client.sys.read_seal_status()["t"] == 1
assert client.sys.read_health_status(method="GET")["initialized"] is True
assert client.sys.read_health_status().status_code == 200
assert client.sys.read_leader_status()["ha_enabled"] is False
print("status: initialised, unsealed, healthy")

# Versioned secrets.
kv = client.secrets.kv.v2
made = kv.create_or_update_secret("app/db", {"user": "ada", "port": 5432}, cas=0)
assert made["data"]["version"] == 1
assert kv.read_secret_version("app/db")["data"]["data"] == {"user": "ada", "port": 5432}
error = refused(exceptions.InvalidRequest, lambda: kv.create_or_update_secret("app/db", {}, cas=0))
assert "check-and-set parameter did not match" in str(error)
assert kv.patch("app/db", {"port": 5433})["data"]["version"] == 2
assert kv.read_secret_version("app/db")["data"]["data"] == {"user": "ada", "port": 5433}
assert kv.read_secret_version("app/db", version=1)["data"]["data"]["port"] == 5432
kv.create_or_update_secret("app/web/tls", {"key": "x"})
assert kv.list_secrets("")["data"]["keys"] == ["app/"]
assert kv.list_secrets("app")["data"]["keys"] == ["db", "web/"]
refused(exceptions.InvalidPath, lambda: kv.list_secrets("nowhere"))
kv.delete_latest_version_of_secret("app/db")
refused(exceptions.InvalidPath, lambda: kv.read_secret_version("app/db"))
kv.undelete_secret_versions("app/db", [2])
assert kv.read_secret_version("app/db")["data"]["metadata"]["version"] == 2
kv.delete_secret_versions("app/db", [1])
kv.destroy_secret_versions("app/db", [1])
assert kv.read_secret_metadata("app/db")["data"]["versions"]["1"]["destroyed"] is True
kv.update_metadata("app/db", max_versions=3, cas_required=True)
refused(exceptions.InvalidRequest, lambda: kv.create_or_update_secret("app/db", {"a": 1}))
kv.delete_metadata_and_all_versions("app/db")
refused(exceptions.InvalidPath, lambda: kv.read_secret_metadata("app/db"))
kv.configure(max_versions=5, cas_required=False)
assert kv.read_configuration()["data"]["max_versions"] == 5
print("kv v2: write, cas, patch, versions, list, delete, undelete, destroy, metadata, config")

# Plain secrets.
client.sys.enable_secrets_engine("kv", path="plain", options={"version": "1"})
v1 = client.secrets.kv.v1
v1.create_or_update_secret("a/b", {"password": "x", "ttl": "30m"}, mount_point="plain")
read = v1.read_secret("a/b", mount_point="plain")
assert read["data"] == {"password": "x", "ttl": "30m"} and read["lease_duration"] == 1800
v1.create_or_update_secret("a/b", {"password": "y"}, mount_point="plain")
assert v1.read_secret("a/b", mount_point="plain")["data"] == {"password": "y"}
assert v1.list_secrets("", mount_point="plain")["data"]["keys"] == ["a/"]
v1.delete_secret("a/b", mount_point="plain")
refused(exceptions.InvalidPath, lambda: v1.read_secret("a/b", mount_point="plain"))
print("kv v1: write, replace, ttl, list, delete")

# The client's generic calls.
client.write("plain/generic", hello="world")
assert client.read("plain/generic")["data"] == {"hello": "world"}
assert client.list("plain")["data"]["keys"] == ["generic"]
client.delete("plain/generic")
assert client.read("plain/generic") is None
print("generic: write, read, list, delete")

# Mounts.
assert "plain/" in client.sys.list_mounted_secrets_engines()["data"]
client.sys.tune_mount_configuration("plain", default_lease_ttl="1h", max_lease_ttl="2h")
tuned = client.sys.read_mount_configuration("plain")["data"]
assert (tuned["default_lease_ttl"], tuned["max_lease_ttl"]) == (3600, 7200)
error = refused(exceptions.InvalidRequest, lambda: client.sys.enable_secrets_engine("kv", path="plain/sub"))
assert "path is already in use at plain/" in str(error)
v1.create_or_update_secret("kept", {"a": "1"}, mount_point="plain")
client.sys.move_backend("plain", "moved")
assert v1.read_secret("kept", mount_point="moved")["data"] == {"a": "1"}
client.sys.tune_mount_configuration("moved", options={"version": "2"})
assert kv.read_secret_version("kept", mount_point="moved")["data"]["data"] == {"a": "1"}
client.sys.disable_secrets_engine("moved")
assert "moved/" not in client.sys.list_mounted_secrets_engines()["data"]
assert "token/" in client.sys.list_auth_methods()["data"]
print("mounts: enable, tune, conflict, move, upgrade, disable")

# Policies.
rules = 'path "secret/data/app/*" { capabilities = ["create", "read", "update"] }'
client.sys.create_or_update_policy("app", rules)
assert client.sys.read_policy("app")["data"]["rules"] == rules
assert {"app", "default", "root"} <= set(client.sys.list_policies()["data"]["policies"])
error = refused(exceptions.InvalidRequest, lambda: client.sys.create_or_update_policy("bad", "path {"))
print("policies: write, list, read, refuse")

# Tokens.
tokens = client.auth.token
child = tokens.create(policies=["app"], ttl="1h", display_name="web", meta={"team": "x"}, num_uses=0)
auth = child["auth"]
assert auth["policies"] == ["app", "default"] and auth["lease_duration"] == 3600 and auth["renewable"]
limited = hvac.Client(url=url, token=auth["client_token"])
limited.secrets.kv.v2.create_or_update_secret("app/x", {"a": 1})
assert limited.secrets.kv.v2.read_secret_version("app/x")["data"]["data"] == {"a": 1}
refused(exceptions.Forbidden, lambda: limited.secrets.kv.v2.read_secret_version("other"))
refused(exceptions.Forbidden, lambda: limited.secrets.kv.v2.list_secrets("app"))
assert limited.sys.get_capabilities(["secret/data/app/x"])["data"]["capabilities"] == ["create", "read", "update"]
assert client.sys.get_capabilities(["secret/data/app/x"], token=auth["client_token"])["data"][
    "secret/data/app/x"
] == ["create", "read", "update"]
looked = limited.auth.token.lookup_self()["data"]
assert looked["display_name"] == "token-web" and looked["meta"] == {"team": "x"} and 3590 <= looked["ttl"] <= 3600
assert tokens.lookup(auth["client_token"])["data"]["accessor"] == auth["accessor"]
assert tokens.lookup_accessor(auth["accessor"])["data"]["id"] == ""
assert auth["accessor"] in tokens.list_accessors()["data"]["keys"]
assert limited.auth.token.renew_self(increment="30m")["auth"]["lease_duration"] == 1800
assert tokens.renew(auth["client_token"])["auth"]["client_token"] == auth["client_token"]
tokens.create_or_update_role("nightly", allowed_policies="app", orphan=True)
assert tokens.read_role("nightly")["data"]["orphan"] is True
assert tokens.list_roles()["data"]["keys"] == ["nightly"]
nightly = tokens.create(role_name="nightly", ttl="24h")["auth"]
assert nightly["orphan"] and nightly["lease_duration"] == 86400
tokens.revoke_accessor(nightly["accessor"])
refused(exceptions.Forbidden, lambda: hvac.Client(url=url, token=nightly["client_token"]).auth.token.lookup_self())
limited.auth.token.revoke_self()
refused(exceptions.Forbidden, lambda: limited.auth.token.lookup_self())
orphan = tokens.create(policies=["app"], no_parent=True)["auth"]
tokens.revoke_and_orphan_children(orphan["client_token"])
tokens.delete_role("nightly")
client.sys.delete_policy("app")
print("tokens: create, use, lookup, renew, roles, accessors, revoke")

# Leases: those of tokens.
for _ in range(2):
    leased = tokens.create(policies=["default"], ttl="1h")["auth"]["client_token"]
names = client.sys.list_leases("auth/token/create/")["data"]["keys"]
lease = client.sys.read_lease("auth/token/create/" + names[0])["data"]
assert 3590 <= lease["ttl"] <= 3600 and lease["renewable"] is True
refused(exceptions.InvalidRequest, lambda: client.sys.renew_lease(lease["id"], increment=60))
client.sys.revoke_lease(lease["id"])
refused(exceptions.InvalidRequest, lambda: client.sys.read_lease(lease["id"]))
client.sys.revoke_prefix("auth/token/create")
refused(exceptions.InvalidPath, lambda: client.sys.list_leases("auth/token/create/"))
refused(exceptions.Forbidden, lambda: hvac.Client(url=url, token=leased).auth.token.lookup_self())
assert client.sys.list_enabled_audit_devices()["data"] == {}
print("leases: list, lookup, revoke, revoke by prefix")

# The key ring, and the shares that open it.
assert client.sys.get_encryption_key_status()["data"]["term"] == 1
assert client.sys.rotate_encryption_key().status_code == 204
assert client.sys.get_encryption_key_status()["data"]["term"] == 2
assert kv.read_secret_version("app/x")["data"]["data"] == {"a": 1}
kv.create_or_update_secret("app/rotated", {"b": 2})
keys = os.environ["UNSEAL_KEYS"].split(",")
assert client.sys.read_rekey_progress()["started"] is False
started = client.sys.start_rekey(secret_shares=3, secret_threshold=2)
assert started["required"] == 1 and started["n"] == 3
client.sys.cancel_rekey()
started = client.sys.start_rekey(secret_shares=3, secret_threshold=2)
refused(exceptions.InvalidRequest, lambda: client.sys.rekey(keys[0], nonce="other"))
done = client.sys.rekey(keys[0], nonce=started["nonce"])
assert done["complete"] is True and len(done["keys"]) == 3
root = client.sys.start_root_token_generation()
assert root["otp_length"] == len(root["otp"]) and root["required"] == 2
refused(exceptions.InvalidRequest, lambda: client.sys.start_root_token_generation())
assert client.sys.generate_root(done["keys"][0], nonce=root["nonce"])["progress"] == 1
assert client.sys.read_root_generation_progress()["progress"] == 1
hidden = client.sys.generate_root(done["keys"][1], nonce=root["nonce"])["encoded_root_token"]
hidden = base64.b64decode(hidden + "=" * (-len(hidden) % 4))
made = "".join(chr(byte ^ ord(char)) for byte, char in zip(hidden, root["otp"]))
assert hvac.Client(url=url, token=made).auth.token.lookup_self()["data"]["policies"] == ["root"]
print("keys: rotate, status, rekey, root token")

# Sealing, last: nothing else answers afterwards.
old = keys[0]
keys = done["keys"][:2]
client.sys.seal()
assert client.sys.is_sealed()
refused(exceptions.VaultDown, lambda: kv.read_secret_version("app/x"))
# A share of one was 32 bytes long; those of several have one more.
refused(exceptions.InvalidRequest, lambda: client.sys.submit_unseal_key(old))
assert client.sys.submit_unseal_keys(keys)["sealed"] is False
assert kv.read_secret_version("app/x")["data"]["data"] == {"a": 1}
assert kv.read_secret_version("app/rotated")["data"]["data"] == {"b": 2}
print("seal: seal, refuse, unseal, read on")
