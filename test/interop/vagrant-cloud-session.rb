# Drives a box catalog with the gem vagrant_cloud, as a program that knows nothing of this one would. Prints what it saw.
require "digest"
require "tempfile"
require "vagrant_cloud"

server, totp_code = ARGV
base = "#{server}/api/v1"
SEEN = []

def expect(what)
  raise "#{what}: expected something else" unless yield
  SEEN << what
end

def refused(status, what)
  yield
  raise "#{what}: expected status #{status}"
rescue VagrantCloud::Error::ClientError::RequestError => error
  raise "#{what}: #{error.error_code} #{error.message}" unless error.error_code == status
  SEEN << what
end

options = { url_base: base, retry_count: 1, retry_interval: 1 }
anonymous = VagrantCloud::Client.new(**options)

# Tokens.
made = anonymous.authentication_token_create(username: "alice", password: "correct horse", description: "laptop")
expect("token: create") { made[:token].size > 20 && made[:description] == "laptop" && made[:token_hash].size == 128 }
refused(401, "token: wrong password") { anonymous.authentication_token_create(username: "alice", password: "wrong") }
refused(406, "token: two factors") { anonymous.authentication_token_create(username: "tess", password: "pass word") }
second = anonymous.authentication_token_create(username: "tess", password: "pass word", code: totp_code)
expect("token: with a code") { second[:token].size > 20 }
client = VagrantCloud::Client.new(access_token: made[:token], **options)
expect("token: validate") { client.authentication_token_validate && true }

# Boxes.
box = { username: "alice", name: "tiny" }
created = client.box_create(**box, short_description: "A box", description: "# Tiny", is_private: false)
expect("box: create") { created[:tag] == "alice/tiny" && created[:private] == false }
refused(422, "box: exists") { client.box_create(**box) }
expect("box: get") { anonymous.box_get(**box)[:description_html].include?("<h1>Tiny</h1>") }
expect("box: update") { client.box_update(**box, short_description: "Smaller")[:short_description] == "Smaller" }
expect("organization: get") { client.organization_get(name: "alice")[:boxes].map { |each| each[:name] } == ["tiny"] }

# Versions.
version = { **box, version: "1.0.0" }
expect("version: create") { client.box_version_create(**version, description: "First")[:status] == "unreleased" }
refused(422, "version: exists") { client.box_version_create(**version) }
expect("version: get") { client.box_version_get(**version)[:description_markdown] == "First" }
expect("version: update") { client.box_version_update(**version, description: "The first")[:description_markdown] == "The first" }
refused(422, "version: nothing to release") { client.box_version_release(**version) }

# Providers and their images.
image = Tempfile.new("tiny").tap { |file| file.write("an image") && file.flush }
sum = Digest::SHA256.file(image.path).hexdigest
provider = { **version, provider: "virtualbox" }
expect("provider: create") { client.box_version_provider_create(**provider, checksum: sum, checksum_type: "sha256")[:hosted] }
refused(422, "provider: exists") { client.box_version_provider_create(**provider) }
expect("provider: get") { client.box_version_provider_get(**provider)[:checksum] == sum }
upload = client.box_version_provider_upload(**provider)
expect("provider: upload") { Excon.put(upload[:upload_path], body: File.binread(image.path)).status == 200 }
other = { **version, provider: "libvirt" }
client.box_version_provider_create(**other)
direct = client.box_version_provider_upload_direct(**other)
Excon.put(direct[:upload_path], body: "another image", expects: [200])
expect("provider: upload directly") do
  client.request(method: :put, path: URI.parse(direct[:callback]).path)
  client.box_version_provider_get(**other)[:hosted]
end
expect("provider: update") do
  client.box_version_provider_update(**other, url: "https://example.com/x.box")[:original_url] == "https://example.com/x.box"
end
expect("provider: delete") { client.box_version_provider_delete(**other) && true }
refused(404, "provider: is gone") { client.box_version_provider_get(**other) }
expect("version: release") { client.box_version_release(**version)[:status] == "active" }
expect("provider: download") do
  url = anonymous.box_get(**box)[:current_version][:providers].first[:download_url]
  Digest::SHA256.hexdigest(Excon.get(url, middlewares: Excon.defaults[:middlewares] + [Excon::Middleware::RedirectFollower]).body) == sum
end

# The search.
found = anonymous.search(query: "tin", provider: "virtualbox", sort: "created", order: "asc", limit: 5, page: 1)
expect("search: by words, provider and order") { found[:boxes].map { |each| each[:tag] } == ["alice/tiny"] }
expect("search: nothing") { anonymous.search(query: "nothing-like-it")[:boxes] == [] }

# The models, as the command line uses them.
account = VagrantCloud::Account.new(access_token: made[:token], custom_server: base, retry_count: 1, retry_interval: 1)
expect("account: validate the token") { account.username == "alice" && account.validate_token.equal?(account) }
expect("account: create a token") { account.create_token(password: "correct horse", description: "more").token.size > 20 }
organization = account.organization
expect("organization: of the account") { organization.boxes.map(&:name) == ["tiny"] }
big = organization.add_box("big")
big.short_description = "A big one"
big.private = false
part = big.add_version("0.1.0").add_provider("qemu")
big.save
expect("box: save with its versions and providers") { big.exist? && part.exist? && !big.dirty?(deep: true) }
part.upload(path: image.path)
part.upload(path: image.path, direct: true)
expect("provider: upload a file, twice") do
  url = client.box_version_provider_get(username: "alice", name: "big", version: "0.1.0", provider: "qemu")[:download_url]
  Excon.get(url, headers: { "Authorization" => "Bearer #{made[:token]}" }).status < 400
end
released = big.versions.first.release
expect("version: release and revoke") { released.released? && released.revoke.status == "revoked" }
page = account.searcher.search(query: "alice", limit: 1)
expect("search: pages") { page.boxes.size == 1 && page.next.boxes.size <= 1 }
part.delete
big.versions.first.delete
big.delete
expect("box: delete its parts and itself") { account.organization.boxes.map(&:name) == ["tiny"] }

# The end.
expect("version: revoke") { client.box_version_revoke(**version)[:status] == "revoked" }
expect("version: delete") { client.box_version_delete(**version) && true }
expect("box: delete") { client.box_delete(**box) && true }
refused(404, "box: is gone") { client.box_get(**box) }
expect("token: delete") { client.authentication_token_delete && true }
refused(401, "token: is gone") { client.authentication_token_validate }
SEEN.map { |each| each.split(": ") }.group_by(&:first).each { |what, done| puts "#{what}: #{done.map(&:last).join(", ")}" }
