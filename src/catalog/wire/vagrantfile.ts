/** A Vagrantfile that uses a box of the catalog at an address. */
export const vagrantfile = (address: string, tag: string, version: string | undefined): string =>
  `ENV["VAGRANT_SERVER_URL"] = "${address}"

Vagrant.configure("2") do |config|
  config.vm.box = "${tag}"
${version === undefined ? '' : `  config.vm.box_version = "${version}"\n`}end`
