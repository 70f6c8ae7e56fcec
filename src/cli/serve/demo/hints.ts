import type { ReadyParts } from '../ready.ts'

/** What to try with the demo, as commands that work as they stand. */
export function demoHints({ catalog, registry, console }: ReadyParts): readonly string[] {
  const hints: string[] = []
  if (catalog)
    hints.push(`VAGRANT_SERVER_URL=${catalog.url} vagrant box add acme/alpine --provider virtualbox`)
  if (registry) {
    const { host } = new URL(registry.url)
    hints.push(
      `printf 'host "${host}" { services = { "modules.v1" = "${registry.modulesUrl}" } }' > demo.tfrc; printf 'module "labels" {\\n source = "${host}/acme/labels/null"\\n name = "try"\\n}' > main.tf; TF_CLI_CONFIG_FILE=demo.tfrc terraform init`,
    )
  }
  if (console)
    hints.push(`${console.url}/scheduler/jobs/train-forecast?namespace=data  (why no node takes this job)`)
  return hints.length === 0 ? [] : ['Try:', ...hints]
}
