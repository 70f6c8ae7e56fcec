import type { RefusalCode } from '../../src/http/refusal-codes.ts'
import { cell, codeCell, generatedBy, paragraphs, table } from './markdown.ts'

/** The page of every refusal, by service. */
export const refusalsPage = (services: Readonly<Record<string, readonly RefusalCode[]>>): string =>
  `${paragraphs([
    generatedBy,
    '# Refusal codes',
    'A refusal is a foreseen "no": a value `{ ok: false, refusal: { code, message, detail? } }` of a method, and an HTTP status of its route. Codes are stable; messages may change. Every service exports this list as `refusalCodes`.',
    ...Object.entries(services).map(([name, codes]) =>
      paragraphs([
        `## ${name} {#${name}}`,
        `${codes.length} codes: \`import { refusalCodes } from 'plinth/${name}'\`.`,
        table(
          ['Code', 'Status', 'Meaning', 'What to do'],
          codes.map(({ code, status, meaning, remedy }) => [
            codeCell(code),
            String(status),
            cell(meaning),
            cell(remedy),
          ]),
        ),
      ]),
    ),
  ])}\n`
