import { readFileSync } from 'node:fs'
import { refusalCodes as catalog } from '../../src/catalog/index.ts'
import { plinth } from '../../src/cli/commands/index.ts'
import { refusalCodes as gateway } from '../../src/gateway/index.ts'
import { refusalCodes as registry } from '../../src/registry/index.ts'
import { refusalCodes as scheduler } from '../../src/scheduler/index.ts'
import { refusalCodes as secrets } from '../../src/secrets/index.ts'
import { commandPage } from './command-page.ts'
import { openApiDocuments } from './documents.ts'
import { type Examples, endpointPage } from './endpoint-page.ts'
import { packageExports } from './exports.ts'
import { lifecycles } from './lifecycles.ts'
import { lifecyclesPage } from './lifecycles-page.ts'
import { limitsPage } from './limits-page.ts'
import { optionsTypes } from './options-types.ts'
import { refusalsPage } from './refusals-page.ts'
import { settingsPage } from './settings-page.ts'

/** Every refusal of every service. */
export const refusals = { secrets, scheduler, gateway, catalog, registry }

/** Every generated page of the reference, by its path below `site/`. */
export async function referencePages(): Promise<Readonly<Record<string, string>>> {
  const documents = await openApiDocuments()
  const examples: Examples = JSON.parse(readFileSync('site/data/endpoint-answers.json', 'utf8'))
  const all = packageExports()
  const options = optionsTypes(all)
  return {
    ...Object.fromEntries(
      Object.entries(documents).map(([name, document]) => [
        `reference/endpoints/${name}.md`,
        endpointPage(name, document, examples),
      ]),
    ),
    'reference/commands.md': commandPage(plinth),
    'reference/refusals.md': refusalsPage(refusals),
    'reference/settings.md': settingsPage(options),
    'reference/limits.md': limitsPage(options),
    'reference/lifecycles.md': lifecyclesPage(await lifecycles(all)),
  }
}
