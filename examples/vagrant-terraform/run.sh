#!/usr/bin/env bash
# A box and a module, published to a server of one's own and fetched by the real clients; no container, no account.
# Clients that are not installed are left out, and the last lines say so.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
cleanup() {
  kill "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  rm -rf "$work"
}

mkfifo "$work/ready"
node_modules/.bin/plinth serve --only catalog,registry --catalog-port 0 --registry-port 0 --catalog-user acme:a-long-password \
  --registry-token ci:a-long-token:acme --json >"$work/ready" &
server=$!
trap cleanup EXIT
read -r ready <"$work/ready"
field() { node -p "JSON.parse(process.argv[1])$1" "$ready"; }
catalog=$(field .catalog.url)
registry=$(field .registry.url)

# A box is a tar archive with a metadata.json.
echo '{"provider":"virtualbox"}' >"$work/metadata.json"
tar -czf "$work/tiny.box" -C "$work" metadata.json
CATALOG_TOKEN=$(field .catalog.tokens.acme) node_modules/.bin/plinth box push acme/tiny 1.0.0 "$work/tiny.box" \
  --provider virtualbox --to "$catalog"

mkdir "$work/vpc"
echo 'variable "cidr" { type = string }' >"$work/vpc/main.tf"
REGISTRY_TOKEN=a-long-token node_modules/.bin/plinth module publish "$work/vpc" acme/vpc/aws 1.0.0 --to "$registry"

if command -v vagrant >/dev/null; then
  VAGRANT_HOME="$work/home" VAGRANT_SERVER_URL="$catalog" VAGRANT_CHECKPOINT_DISABLE=1 \
    vagrant box add acme/tiny --provider virtualbox
  echo 'vagrant: fetched acme/tiny'
else
  echo 'vagrant: not installed'
fi

if command -v terraform >/dev/null; then
  mkdir "$work/main"
  cat >"$work/main/main.tf" <<TF
module "vpc" {
  source  = "modules.example.com/acme/vpc/aws"
  version = "1.0.0"
  cidr    = "10.0.0.0/16"
}
TF
  # Names the server without TLS; with TLS the host name alone is enough.
  echo "host \"modules.example.com\" { services = { \"modules.v1\" = \"$registry/v1/modules/\" } }" >"$work/terraform.rc"
  TF_CLI_CONFIG_FILE="$work/terraform.rc" CHECKPOINT_DISABLE=1 terraform -chdir="$work/main" init -input=false
  echo 'terraform: fetched acme/vpc/aws'
else
  echo 'terraform: not installed'
fi
