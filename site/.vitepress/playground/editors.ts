import { acceptCompletion, autocompletion } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, syntaxHighlighting } from '@codemirror/language'
import { type Action, forEachDiagnostic, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import {
  type Command,
  Decoration,
  drawSelection,
  EditorView,
  highlightSpecialChars,
  keymap,
  MatchDecorator,
  ViewPlugin,
} from '@codemirror/view'
import { tagHighlighter, tags } from '@lezer/highlight'
import { type FilterConfig, filter, filterDiagnostics } from '../../../src/filter/codemirror/index.ts'
import type { FilterProblem } from '../../../src/filter/index.ts'
import type { JsonFault } from './json-text.ts'

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

const jsonWords =
  /(?<key>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*")|(?<keyword>\b(?:true|false|null)\b)|(?<number>-?\b\d[\d.eE+-]*)/g

const colours = tagHighlighter([
  { tag: tags.string, class: 'playground-string' },
  { tag: [tags.keyword, tags.operator], class: 'playground-keyword' },
  { tag: [tags.number, tags.bool, tags.atom], class: 'playground-number' },
])

/** Puts what was probably meant in place of the mistake nearest to the cursor. */
const takeSuggestion: Command = (view) => {
  const { head } = view.state.selection.main
  let nearest: { readonly action: Action; readonly from: number; readonly to: number } | undefined
  forEachDiagnostic(view.state, ({ actions }, from, to) => {
    const [action] = actions ?? []
    const isNearer = nearest === undefined || Math.abs(from - head) < Math.abs(nearest.from - head)
    if (action !== undefined && isNearer) nearest = { action, from, to }
  })
  if (nearest === undefined) return false
  nearest.action.apply(view, nearest.from, nearest.to)
  return true
}

const language = new Compartment()

export const expressionEditor = (
  parent: HTMLElement,
  text: string,
  config: FilterConfig,
  changed: (text: string) => void,
): EditorView =>
  new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        usual('Expression', changed),
        language.of(filter(config)),
        syntaxHighlighting(colours),
        autocompletion({ interactionDelay: 0, icons: false }),
        keymap.of([
          { key: 'Tab', run: acceptCompletion },
          { key: 'Alt-Enter', run: takeSuggestion },
        ]),
        keys,
      ],
    }),
  })

/** Completes and colours by other fields or another dialect from now on; closes an open list. */
export const configure = (view: EditorView, config: FilterConfig): void =>
  view.dispatch({ effects: language.reconfigure(filter(config)) })

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

/** Underlines what is wrong; the problems may be those of an older text. */
export const showProblems = (view: EditorView, problems: readonly FilterProblem[]): void =>
  view.dispatch(setDiagnostics(view.state, filterDiagnostics(problems, view.state.doc.length)))

/** Underlines the character from which on a text is not JSON; nothing where there is no fault. */
export function showFault(view: EditorView, fault: JsonFault | undefined): void {
  const { length } = view.state.doc
  const { offset, message } = fault ?? {}
  const to = Math.min((offset ?? 0) + 1, length)
  const wrong =
    offset === undefined || message === undefined
      ? []
      : [{ from: Math.max(0, to - 1), to, severity: 'error' as const, message }]
  view.dispatch(setDiagnostics(view.state, wrong))
}
