import { history, historyKeymap } from '@codemirror/commands'
import { Compartment, EditorState } from '@codemirror/state'
import { type Command, Decoration, EditorView, type KeyBinding, keymap, lineNumbers } from '@codemirror/view'
import type { Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { jobColours } from './job-colours.ts'

/** A place in a text, counted from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

const look = EditorView.theme({
  '&': { height: '22rem', fontSize: '13px', border: '1px solid var(--line)', borderRadius: 'var(--radius)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'ui-monospace, Menlo, Consolas, monospace', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--muted)', border: 'none' },
  '.cm-mistake': { textDecoration: 'underline wavy var(--bad)' },
  '.cm-job-block, .cm-job-value': { color: 'var(--accent)' },
  '.cm-job-string': { color: 'var(--good)' },
  '.cm-job-comment': { color: 'var(--muted)', fontStyle: 'italic' },
})

/** Replaces the selection by a text. */
function replace(view: EditorView, text: string, userEvent: string): true {
  view.dispatch(view.state.replaceSelection(text), { userEvent, scrollIntoView: true })
  return true
}

const newLine: Command = (view) => {
  const { state } = view
  const [indent = ''] = /^\s*/.exec(state.doc.lineAt(state.selection.main.from).text) ?? []
  return replace(view, `\n${indent}`, 'input')
}

const removeSelected: Command = (view) =>
  !view.state.selection.main.empty && replace(view, '', 'delete.selection')

/** Passed to the editor immediately: a browser reports its selection later than the text typed over it. */
const selectAll: Command = (view) => {
  view.dispatch({ selection: { anchor: 0, head: view.state.doc.length }, userEvent: 'select' })
  return true
}

/** The browser moves the cursor and removes single letters. */
const keys: readonly KeyBinding[] = [
  { key: 'Mod-a', run: selectAll },
  { key: 'Enter', run: newLine },
  { key: 'Backspace', run: removeSelected },
  { key: 'Delete', run: removeSelected },
  ...historyKeymap,
]

/** By default a browser styles text that replaces a selection inline, which the policy forbids. */
const typingOver = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    if (event.inputType !== 'insertText' || event.data === null || view.state.selection.main.empty)
      return false
    event.preventDefault()
    return replace(view, event.data, 'input.type')
  },
})

/**
 * A text editor for jobs. It is in a shadow root, where its styles are constructed style sheets: those in the
 * document would be inline styles, which the console's policy forbids.
 */
export function Editor({
  label,
  text,
  mistake,
  onInput,
}: {
  readonly label: string
  readonly text: Signal<string>
  /** Where the text cannot be read. */
  readonly mistake: Place | undefined
  readonly onInput: () => void
}) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<EditorView | undefined>(undefined)
  const latest = useRef(onInput)
  latest.current = onInput
  useEffect(() => {
    if (!host.current) return
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const view = new EditorView({
      root,
      parent: root,
      doc: text.value,
      extensions: [
        lineNumbers(),
        history(),
        jobColours,
        look,
        marks.of([]),
        keymap.of(keys),
        typingOver,
        EditorState.tabSize.of(2),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (!docChanged) return
          text.value = state.doc.toString()
          latest.current()
        }),
      ],
    })
    editor.current = view
    return () => view.destroy()
  }, [label])
  useEffect(
    () =>
      // Immediately, not on render: the user may type before.
      text.subscribe((written) => {
        const view = editor.current
        if (view && view.state.doc.toString() !== written)
          view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: written } })
      }),
    [text],
  )
  useEffect(() => {
    const view = editor.current
    if (!view) return
    const at = mistake && offsetOf(view.state, mistake)
    const marked =
      at === undefined ? Decoration.none : Decoration.set(mistakeMark.range(at, wordEnd(view.state, at)))
    view.dispatch({
      effects: marks.reconfigure(EditorView.decorations.of(marked)),
      ...(at === undefined ? {} : { selection: { anchor: at }, scrollIntoView: true }),
    })
    if (at !== undefined) view.focus()
  }, [mistake])
  return <div ref={host} class="editor" />
}

const marks = new Compartment()
const mistakeMark = Decoration.mark({ class: 'cm-mistake' })

/** The offset of a position in the text, before its last character. */
function offsetOf({ doc }: EditorState, { line, column }: Place): number {
  const { from, length } = doc.line(Math.min(Math.max(1, line), doc.lines))
  return Math.max(0, Math.min(from + Math.min(column - 1, length), doc.length - 1))
}

const wordEnd = (state: EditorState, at: number): number => Math.max(at + 1, state.wordAt(at)?.to ?? 0)
