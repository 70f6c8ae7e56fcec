"""Logs in, audits and looks after identities with hvac, as a program that knows nothing of this service would."""

import base64
import sys

import hvac
from hvac import exceptions

url, token, log = sys.argv[1], sys.argv[2], sys.argv[3]
client = hvac.Client(url=url, token=token)


def refused(kind, act):
    try:
        act()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was expected")


def anonymous():
    return hvac.Client(url=url)


# User names and passwords.
client.sys.enable_auth_method("userpass")
users = client.auth.userpass
users.create_or_update_user("ada", password="correct horse", policies="folder", ttl="1h")
assert users.list_user()["data"]["keys"] == ["ada"]
assert users.read_user("ada")["data"]["token_policies"] == ["folder"]
login = anonymous().auth.userpass.login("ada", "correct horse")
assert login["auth"]["metadata"] == {"username": "ada"}
assert login["auth"]["lease_duration"] == 3600
error = refused(exceptions.InvalidRequest, lambda: anonymous().auth.userpass.login("ada", "wrong"))
assert str(error).startswith("invalid username or password")
unknown = refused(exceptions.InvalidRequest, lambda: anonymous().auth.userpass.login("eve", "wrong"))
assert str(unknown).startswith("invalid username or password")
users.update_password_on_user("ada", "battery staple")
refused(exceptions.InvalidRequest, lambda: anonymous().auth.userpass.login("ada", "correct horse"))
users.create_or_update_user("eve", password="short lived")
users.delete_user("eve")
refused(exceptions.InvalidPath, lambda: users.read_user("eve"))
print("userpass: users, login, refuse, password, delete")

# Role IDs and secret IDs.
client.sys.enable_auth_method("approle")
roles = client.auth.approle
roles.create_or_update_approle("ci", token_policies=["deploy"], secret_id_num_uses=2, token_ttl="20m")
assert roles.list_roles()["data"]["keys"] == ["ci"]
assert roles.read_role("ci")["data"]["secret_id_num_uses"] == 2
roles.update_role_id("ci", "ci-runner")
role_id = roles.read_role_id("ci")["data"]["role_id"]
made = roles.generate_secret_id("ci", metadata={"job": "7"}, cidr_list=["127.0.0.1/32", "::1/128"])["data"]
found = roles.read_secret_id("ci", made["secret_id"])["data"]
assert found["metadata"] == {"job": "7"} and found["secret_id_num_uses"] == 2
assert roles.list_secret_id_accessors("ci")["data"]["keys"] == [made["secret_id_accessor"]]
worker = anonymous()
auth = worker.auth.approle.login(role_id=role_id, secret_id=made["secret_id"])["auth"]
assert auth["metadata"] == {"job": "7", "role_name": "ci"} and auth["policies"] == ["default", "deploy"]
assert worker.auth.token.lookup_self()["data"]["path"] == "auth/approle/login"
by_accessor = roles.read_secret_id_accessor("ci", made["secret_id_accessor"])["data"]
assert by_accessor["secret_id_num_uses"] == 1
anonymous().auth.approle.login(role_id=role_id, secret_id=made["secret_id"])
login_again = lambda: anonymous().auth.approle.login(role_id=role_id, secret_id=made["secret_id"])
assert str(refused(exceptions.InvalidRequest, login_again)).startswith("invalid role or secret ID")
own = roles.create_custom_secret_id("ci", secret_id="my-own")["data"]
assert own["secret_id"] == "my-own"
roles.destroy_secret_id("ci", "my-own")
other = roles.generate_secret_id("ci")["data"]["secret_id_accessor"]
roles.destroy_secret_id_accessor("ci", other)
refused(exceptions.InvalidPath, lambda: roles.list_secret_id_accessors("ci"))
roles.delete_role("ci")
refused(exceptions.InvalidPath, lambda: roles.read_role("ci"))
print("approle: roles, role ID, secret IDs, login, uses, accessors, custom, destroy")

# Audit.
assert client.sys.list_enabled_audit_devices()["data"]["file/"]["type"] == "file"
digest = client.sys.calculate_hash("file", "battery staple")["data"]["hash"]
with open(log, encoding="utf-8") as lines:
    text = lines.read()
assert digest in text and "battery staple" not in text and made["secret_id"] not in text
# The server's configuration declares the devices; no caller adds or removes one.
configured = lambda: client.sys.enable_audit_device("file", path="second", options={"file_path": log})
refused(exceptions.InvalidRequest, configured)
refused(exceptions.InvalidRequest, lambda: client.sys.disable_audit_device("file"))
assert list(client.sys.list_enabled_audit_devices()["data"]) == ["file/"]
print("audit: list, hash, log, refuse")

# Identity.
identity = client.secrets.identity
entity_id = login["auth"]["entity_id"]
assert identity.read_entity(entity_id)["data"]["aliases"][0]["name"] == "ada"
identity.update_entity(entity_id, name="ada-l", metadata={"team": "red"}, policies=["team"])
assert identity.read_entity_by_name("ada-l")["data"]["metadata"] == {"team": "red"}
assert identity.list_entities_by_name()["data"]["keys"] == ["ada-l", *(
    name for name in identity.list_entities_by_name()["data"]["keys"] if name != "ada-l"
)]
group = identity.create_or_update_group("crew", member_entity_ids=[entity_id], policies=["crew"])["data"]
assert identity.read_group(group["id"])["data"]["member_entity_ids"] == [entity_id]
client.sys.create_or_update_policy(
    "folder",
    'path "secret/data/{{identity.entity.name}}/*" { capabilities = ["create", "read"] }',
)
user = anonymous()
user.auth.userpass.login("ada", "battery staple")
user.secrets.kv.v2.create_or_update_secret("ada-l/x", {"mine": True})
refused(exceptions.Forbidden, lambda: user.secrets.kv.v2.create_or_update_secret("bob/x", {}))
accessor = client.sys.list_auth_methods()["data"]["approle/"]["accessor"]
alias = identity.create_or_update_entity_alias("runner", entity_id, accessor)["data"]
assert identity.read_entity_alias(alias["id"])["data"]["mount_type"] == "approle"
assert identity.lookup_entity(name="ada-l")["data"]["id"] == entity_id
identity.update_entity_alias(alias["id"], "runner-2", entity_id, accessor)
listed = identity.list_entity_aliases()["data"]
assert listed["key_info"][alias["id"]]["name"] == "runner-2"
assert entity_id in identity.list_entities()["data"]["keys"]
identity.delete_entity_alias(alias["id"])
refused(exceptions.InvalidPath, lambda: identity.read_entity_alias(alias["id"]))

# An entity that is merged into another one leaves it its aliases and memberships.
twin = identity.create_or_update_entity_by_name("twin", metadata={"team": "blue"})["data"]["id"]
identity.create_or_update_entity_alias("twin-at-ci", twin, accessor)
identity.create_or_update_group_by_name("crew", member_entity_ids=[twin])
identity.merge_entities([twin], entity_id)
refused(exceptions.InvalidPath, lambda: identity.read_entity(twin))
names = [each["name"] for each in identity.read_entity(entity_id)["data"]["aliases"]]
assert sorted(names) == ["ada", "twin-at-ci"], names
assert identity.read_group_by_name("crew")["data"]["member_entity_ids"] == [entity_id]

identity.update_group(group["id"], "crew-2", metadata={"floor": "3"}, member_entity_ids=[entity_id])
assert identity.lookup_group(name="crew-2")["data"]["metadata"] == {"floor": "3"}
outer = identity.create_or_update_group("outer", member_group_ids=[group["id"]])["data"]["id"]
assert identity.read_group(group["id"])["data"]["parent_group_ids"] == [outer]
info = identity.list_groups()["data"]["key_info"]
assert info[group["id"]]["num_parent_groups"] == 1 and info[outer]["num_parent_groups"] == 0
assert identity.list_groups_by_name()["data"]["keys"] == ["crew-2", "outer"]
external = identity.create_or_update_group("staff", group_type="external")["data"]["id"]
badge = identity.create_or_update_group_alias("staff-at-idp", mount_accessor=accessor, canonical_id=external)["data"]
assert identity.read_group_alias(badge["id"])["data"]["canonical_id"] == external
assert identity.list_group_aliases()["data"]["keys"] == [badge["id"]]
identity.update_group_alias(badge["id"], "people", mount_accessor=accessor, canonical_id=external)
identity.delete_group_alias(badge["id"])
identity.delete_group(outer)
identity.delete_group_by_name("staff")
identity.delete_group(group["id"])
refused(exceptions.InvalidPath, lambda: identity.read_group(group["id"]))
spare = identity.create_or_update_entity("spare")["data"]["id"]
identity.delete_entity_by_name("spare")
refused(exceptions.InvalidPath, lambda: identity.read_entity(spare))
identity.delete_entity(entity_id)
refused(exceptions.Forbidden, lambda: user.auth.token.lookup_self())
print("identity: entity, group, template, alias, lookup, merge, nest, delete")

# Transit.
encoded = base64.b64encode(b"4111 1111").decode()
client.sys.enable_secrets_engine("transit")
transit = client.secrets.transit
transit.create_key("orders")
assert transit.list_keys()["data"]["keys"] == ["orders"]
ciphertext = transit.encrypt_data("orders", plaintext=encoded)["data"]["ciphertext"]
assert ciphertext.startswith("vault:v1:")
assert transit.decrypt_data("orders", ciphertext=ciphertext)["data"]["plaintext"] == encoded
transit.rotate_key("orders")
assert transit.read_key("orders")["data"]["latest_version"] == 2
renewed = transit.rewrap_data("orders", ciphertext=ciphertext)["data"]["ciphertext"]
assert renewed.startswith("vault:v2:")
batch = transit.encrypt_data("orders", plaintext="", batch_input=[{"plaintext": encoded}, {"plaintext": ""}])["data"]
assert len(batch["batch_results"]) == 2
transit.rotate_key("orders")
transit.update_key_configuration("orders", min_decryption_version=2, min_encryption_version=3, deletion_allowed=True)
refused(exceptions.InvalidRequest, lambda: transit.decrypt_data("orders", ciphertext=ciphertext))
transit.trim_key("orders", min_version=2)
drawn = transit.generate_data_key("orders", key_type="plaintext")["data"]
assert transit.decrypt_data("orders", ciphertext=drawn["ciphertext"])["data"]["plaintext"] == drawn["plaintext"]
digest = transit.generate_hmac("orders", hash_input=encoded)["data"]["hmac"]
assert transit.verify_signed_data("orders", hash_input=encoded, hmac=digest)["data"]["valid"]
for kind in ("ed25519", "ecdsa-p256"):
    transit.create_key(kind, key_type=kind, exportable=True)
    signature = transit.sign_data(kind, hash_input=encoded)["data"]["signature"]
    assert transit.verify_signed_data(kind, hash_input=encoded, signature=signature)["data"]["valid"]
    assert transit.export_key(kind, key_type="signing-key")["data"]["keys"]["1"]
assert len(base64.b64decode(transit.generate_random_bytes(n_bytes=16)["data"]["random_bytes"])) == 16
assert len(transit.hash_data(encoded, algorithm="sha2-256")["data"]["sum"]) == 64
transit.delete_key("orders")
refused(exceptions.InvalidPath, lambda: transit.read_key("orders"))
print("transit: keys, encrypt, rotate, rewrap, batch, trim, data key, hmac, sign, export, delete")
