import { acceptCompletion, autocompletion, type CompletionSource } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching } from '@codemirror/language'
import { type Diagnostic, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { EditorState, type Extension } from '@codemirror/state'
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightSpecialChars,
  keymap,
  MatchDecorator,
  ViewPlugin,
} from '@codemirror/view'
import {
  complete,
  type Dialect,
  type FieldDescription,
  type FilterProblem,
} from '../../../src/filter/index.ts'

/** What every editor of the page does: Tab leaves it, unless a completion is open. */
const usual = (label: string, changed: (text: string) => void): Extension => [
  history(),
  drawSelection(),
  highlightSpecialChars(),
  bracketMatching(),
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({ 'aria-label': label, 'aria-multiline': 'true', tabindex: '0' }),
  EditorView.updateListener.of((update) => {
    if (update.docChanged) changed(update.state.doc.toString())
  }),
]

const keys = keymap.of([...lintKeymap, ...historyKeymap, ...defaultKeymap])

/** Marks words by a regular expression: the kind of each is the name of the group that matches. */
function highlighting(pattern: RegExp): Extension {
  const marks = new MatchDecorator({
    regexp: pattern,
    decorate: (add, from, to, match) => {
      const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? []
      if (kind !== undefined) add(from, to, Decoration.mark({ class: `playground-${kind}` }))
    },
  })
  return ViewPlugin.define(
    (view) => ({
      decorations: marks.createDeco(view),
      update(update) {
        this.decorations = marks.updateDeco(update, this.decorations)
      },
    }),
    { decorations: (plugin) => plugin.decorations },
  )
}

const expressionWords =
  /(?<string>"(?:[^"\\]|\\.)*"|`[^`]*`)|(?<keyword>\b(?:and|or|not|in|is|any|all|none|as|count|contains|matches|empty|nil|between|starts|ends|with|one|of|ignoring|case|now)\b)|(?<number>\b\d[\w.]*)|(?<operator>[=!<>]+)/g
const jsonWords =
  /(?<key>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*")|(?<keyword>\b(?:true|false|null)\b)|(?<number>-?\b\d[\d.eE+-]*)/g

export interface ExpressionEditor {
  readonly parent: HTMLElement
  readonly text: string
  readonly changed: (text: string) => void
  readonly fields: () => readonly FieldDescription[]
  readonly dialect: () => Dialect
}

export function expressionEditor({ parent, text, changed, fields, dialect }: ExpressionEditor): EditorView {
  const source: CompletionSource = ({ state, pos, explicit }) => {
    const before = state.doc.sliceString(0, pos)
    // Only what is asked for, or begun, opens the list.
    if (!explicit && !/[\w."=!<>@$]$|\w +$|[=<>] +$/.test(before)) return null
    const { from, to, options } = complete(state.doc.toString(), pos, {
      fields: fields(),
      dialect: dialect(),
    })
    if (options.length === 0) return null
    return {
      from,
      to,
      filter: false,
      options: options.map(({ text: label, kind, detail }) => ({
        label,
        type: types[kind],
        ...(detail !== undefined && { detail }),
      })),
    }
  }
  return new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        usual('Expression', changed),
        highlighting(expressionWords),
        autocompletion({ override: [source], interactionDelay: 0, icons: false }),
        keymap.of([{ key: 'Tab', run: acceptCompletion }]),
        keys,
      ],
    }),
  })
}

const types = {
  field: 'property',
  name: 'variable',
  operator: 'keyword',
  value: 'constant',
  connective: 'keyword',
  quantifier: 'keyword',
  function: 'function',
  parameter: 'variable',
  keyword: 'keyword',
} as const

export const jsonEditor = (
  parent: HTMLElement,
  label: string,
  text: string,
  changed: (text: string) => void,
): EditorView =>
  new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [usual(label, changed), highlighting(jsonWords), keys],
    }),
  })

/** Puts a text in place of another, so that it can be undone. */
export const replaceText = (view: EditorView, text: string): void =>
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })

/** Puts what was probably meant in place of what is wrong. */
export function applySuggestion(view: EditorView, { span, suggestion }: FilterProblem): void {
  if (suggestion === undefined || span.end > view.state.doc.length) return
  view.dispatch({
    changes: { from: span.start, to: span.end, insert: suggestion },
    selection: { anchor: span.start + suggestion.length },
  })
  view.focus()
}

/** Underlines what is wrong. */
export function showProblems(view: EditorView, problems: readonly FilterProblem[]): void {
  const { length } = view.state.doc
  const diagnostics = problems.map(({ message, span, suggestion }): Diagnostic => {
    const actions = [
      { name: `Use ${suggestion?.trim()}`, apply: (at: EditorView) => applySuggestion(at, problemAt) },
    ]
    const problemAt = { kind: 'parse', message, span, suggestion } as FilterProblem
    return {
      from: Math.min(span.start, length),
      to: Math.min(span.end, length),
      severity: 'error',
      message,
      ...(suggestion !== undefined && { actions }),
    }
  })
  view.dispatch(setDiagnostics(view.state, diagnostics))
}
