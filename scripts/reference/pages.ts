import { plinth } from '../../src/cli/commands/index.ts'
import { commandPage } from './command-page.ts'
import { openApiDocuments } from './documents.ts'
import { endpointPage } from './endpoint-page.ts'

/** Every generated page of the reference, by its path below `site/`. */
export async function referencePages(): Promise<Readonly<Record<string, string>>> {
  const documents = await openApiDocuments()
  return {
    ...Object.fromEntries(
      Object.entries(documents).map(([name, document]) => [
        `reference/endpoints/${name}.md`,
        endpointPage(name, document),
      ]),
    ),
    'reference/commands.md': commandPage(plinth),
  }
}
