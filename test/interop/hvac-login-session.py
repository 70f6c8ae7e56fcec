"""Logs in, wraps and moves between namespaces with hvac, as a program that knows nothing of this one would."""

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


# The identity-provider method, under the word this client knows.
client.sys.enable_auth_method("okta")
okta = client.auth.okta
refused(exceptions.InvalidPath, okta.read_config)
okta.configure(org_name="acme", api_token="secret-token", base_url="example.com", ttl="1h", max_ttl="2h")
config = okta.read_config()["data"]
assert (config["org_name"], config["token_ttl"], config["bypass_okta_mfa"]) == ("acme", 3600, False)
assert "secret-token" not in str(config)
okta.register_user("ada", groups=["ops"], policies=["own"])
assert okta.read_user("ada")["data"] == {"groups": ["ops"], "policies": ["own"]}
assert okta.list_users()["data"]["keys"] == ["ada"]
okta.register_group("Dev", policies=["web"])
assert okta.read_group("dev")["data"]["policies"] == ["web"]
assert okta.list_groups()["data"]["keys"] == ["dev"]
person = hvac.Client(url=url)
error = refused(exceptions.InvalidRequest, lambda: person.auth.okta.login("ada", "wrong"))
assert "auth failed" in str(error)
auth = person.auth.okta.login("ada", "hunter2")["auth"]
assert auth["policies"] == ["default", "own", "web"] and auth["metadata"]["username"] == "ada"
assert person.is_authenticated()
assert person.auth.token.renew_self()["auth"]["lease_duration"] == 3600
okta.delete_user("ada")
okta.delete_group("dev")
refused(exceptions.InvalidPath, okta.list_users)
print("login: configure, users, groups, refuse, log in, renew")

# Wrapping.
kv = client.secrets.kv.v2
kv.create_or_update_secret("app", {"a": 1})
wrapped = client.read("secret/data/app", wrap_ttl="5m")["wrap_info"]
assert wrapped["ttl"] == 300
opened = client.sys.unwrap(wrapped["token"])
assert opened["data"]["data"] == {"a": 1}
refused(exceptions.InvalidRequest, lambda: client.sys.unwrap(wrapped["token"]))
child = client.auth.token.create(policies=["default"], wrap_ttl="60s")["wrap_info"]
holder = hvac.Client(url=url, token=child["token"])
inner = holder.sys.unwrap()["auth"]
assert inner["accessor"] == child["wrapped_accessor"]
print("wrapping: wrap, unwrap, once")

# Namespaces.
client.sys.create_namespace("team")
assert client.sys.list_namespaces()["data"]["keys"] == ["team/"]
team = hvac.Client(url=url, token=token, namespace="team")
team.sys.enable_secrets_engine("kv", path="kv", options={"version": "2"})
team.secrets.kv.v2.create_or_update_secret("x", {"b": 2}, mount_point="kv")
assert client.secrets.kv.v2.read_secret_version("x", mount_point="team/kv")["data"]["data"] == {"b": 2}
refused(exceptions.InvalidPath, lambda: client.secrets.kv.v2.read_secret_version("x", mount_point="kv"))
lost = hvac.Client(url=url, token=token, namespace="nowhere")
refused(exceptions.InvalidPath, lambda: lost.sys.list_mounted_secrets_engines())
client.sys.delete_namespace("team")
refused(exceptions.InvalidPath, lambda: team.sys.list_mounted_secrets_engines())
print("namespaces: create, list, isolate, delete")

# What a token keeps for itself.
client.write("cubbyhole/mine", key="value")
assert client.read("cubbyhole/mine")["data"] == {"key": "value"}
assert client.list("cubbyhole")["data"]["keys"] == ["mine"]
client.delete("cubbyhole/mine")
print("cubbyhole: write, read, list, delete")
