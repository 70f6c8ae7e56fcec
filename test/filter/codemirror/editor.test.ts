import { CompletionContext, type CompletionResult, type CompletionSource } from '@codemirror/autocomplete'
import { ensureSyntaxTree } from '@codemirror/language'
import type { Diagnostic } from '@codemirror/lint'
import { EditorState, type TransactionSpec } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { classHighlighter, highlightTree } from '@lezer/highlight'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  type FilterConfig,
  filter,
  filterDiagnostics,
  filterLintSource,
} from '../../../src/filter/codemirror/index.ts'
import { check, describeFields } from '../../../src/filter/index.ts'

const schema = z.object({ Status: z.enum(['running', 'dead']), Count: z.int(), Tags: z.array(z.string()) })

const editorOf = (doc: string, config: FilterConfig = { schema }) =>
  EditorState.create({ doc, extensions: [filter(config)] })

/** What an editor offers behind its text. */
async function completions(doc: string, config?: FilterConfig, explicit = false) {
  const state = editorOf(doc, config)
  const [source] = state.languageDataAt<CompletionSource>('autocomplete', doc.length)
  return (await source?.(new CompletionContext(state, doc.length, explicit))) ?? null
}
const labels = (found: CompletionResult | null) => found?.options.map(({ label }) => label)

const lint = async (doc: string, config: FilterConfig = { schema }): Promise<readonly Diagnostic[]> =>
  filterLintSource(config)({ state: editorOf(doc, config) } as EditorView)

describe('the filter language in CodeMirror', () => {
  it('highlights an expression', () => {
    const state = editorOf('Status == "dead" and Count > 3')
    const tree = ensureSyntaxTree(state, state.doc.length)
    const coloured: string[] = []
    if (tree !== null)
      highlightTree(tree, classHighlighter, (from, to, classes) => {
        coloured.push(`${state.sliceDoc(from, to)} ${classes}`)
      })
    expect(coloured).toEqual([
      'Status tok-propertyName',
      '== tok-operator',
      '"dead" tok-string',
      'and tok-keyword',
      'Count tok-propertyName',
      '> tok-operator',
      '3 tok-number',
    ])
  })

  it('completes fields and values of the schema', async () => {
    expect(await completions('Sta')).toMatchObject({
      from: 0,
      to: 3,
      filter: false,
      options: [{ label: 'Status', type: 'property', detail: 'string' }],
    })
    expect(labels(await completions('Status == '))).toEqual(['"running"', '"dead"'])
    expect(labels(await completions('Status == ', { fields: describeFields(schema) }))).toEqual([
      '"running"',
      '"dead"',
    ])
    expect(labels(await completions('Count > $', { schema, parameters: { least: 'int' } }))).toEqual([
      '$least',
    ])
  })

  it('opens the list by itself only behind what is begun', async () => {
    expect(await completions('')).toBeNull()
    expect(labels(await completions('', undefined, true))).toContain('Status')
  })

  it('reports what the schema refutes, and puts right what it can', async () => {
    const [problem, ...others] = await lint('Stauts == "dead"')
    expect(others).toEqual([])
    expect(problem).toMatchObject({ from: 0, to: 6, severity: 'error', actions: [{ name: 'Use Status' }] })
    const state = editorOf('Stauts == "dead"')
    let changed = ''
    const dispatch = (spec: TransactionSpec) => {
      changed = state.update(spec).newDoc.toString()
    }
    problem?.actions?.[0]?.apply({ dispatch } as unknown as EditorView, 0, 6)
    expect(changed).toBe('Status == "dead"')
  })

  it('checks the syntax where there is no schema', async () => {
    expect(await lint('Name = "a"', {})).toMatchObject([{ from: 5, to: 6, actions: [{ name: 'Use ==' }] }])
    expect(await lint('Unknown == "a"', {})).toEqual([])
    expect(await lint('none Tags { @ == "a" }', { dialect: 'bexpr' })).toHaveLength(1)
    expect(await lint('  ')).toEqual([])
  })

  it('keeps problems of an older text within the document', () => {
    expect(filterDiagnostics(check('Count == 1 and Stauts == 2', schema), 12)).toMatchObject([
      { from: 12, to: 12 },
    ])
  })

  it('names an option that is misspelt', () => {
    expect(() => filter({ shcema: schema } as never)).toThrow(
      'filter has no option shcema: did you mean schema?',
    )
  })
})
