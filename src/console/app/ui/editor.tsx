import type { Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

/** A place in a text, counted from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** Comments, strings, values and the names of blocks: of HCL, and of JSON, which has the middle two. */
const parts =
  /(?<comment>(?:#|\/\/).*)|(?<string>"(?:[^"\\]|\\.)*")|(?<value>\b(?:true|false|null|\d+(?:\.\d+)?)\b)|(?<block>\b[A-Za-z_][\w-]*(?=\s*(?:"[^"]*"\s*)*\{))/g
const kinds = ['comment', 'string', 'value', 'block'] as const

/** A longer text has one colour, so that typing stays fast. */
const mostColoured = 100_000

/** A text editor for HCL and JSON: a text area, above a layer that shows the same text in colours. */
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
  readonly onInput?: () => void
}) {
  const area = useRef<HTMLTextAreaElement>(null)
  const layer = useRef<HTMLPreElement>(null)
  useEffect(() => {
    if (!mistake || !area.current) return
    const lines = text.peek().split('\n')
    const before = lines.slice(0, mistake.line - 1).join('\n').length + (mistake.line > 1 ? 1 : 0)
    area.current.focus()
    area.current.setSelectionRange(before + mistake.column - 1, before + mistake.column - 1)
  }, [mistake])
  return (
    <div class="editor">
      <pre ref={layer} aria-hidden="true">
        {text.value.split('\n').map((line, at) => (
          <span key={at} class="code-line">
            {text.value.length > mostColoured
              ? line
              : mistake?.line === at + 1
                ? marked(line, mistake.column)
                : coloured(line)}
            {'\n'}
          </span>
        ))}
      </pre>
      <textarea
        ref={area}
        aria-label={label}
        aria-invalid={mistake !== undefined}
        autocapitalize="off"
        autocomplete="off"
        spellcheck={false}
        wrap="off"
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value
          onInput?.()
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.isComposing && insertLine(event.currentTarget))
            event.preventDefault()
        }}
        onScroll={({ currentTarget }) =>
          layer.current?.scrollTo(currentTarget.scrollLeft, currentTarget.scrollTop)
        }
      />
    </div>
  )
}

/** Begins a line as far in as the one before it, such that the browser can undo it. */
function insertLine({ value, selectionStart }: HTMLTextAreaElement): boolean {
  const line = value.slice(value.lastIndexOf('\n', selectionStart - 1) + 1, selectionStart)
  const [indent = ''] = /^[ \t]*/.exec(line) ?? []
  return indent !== '' && document.execCommand('insertText', false, `\n${indent}`)
}

function coloured(line: string) {
  const shown = []
  let from = 0
  for (const found of line.matchAll(parts)) {
    const kind = kinds.find((each) => found.groups?.[each] !== undefined)
    shown.push(
      line.slice(from, found.index),
      <span key={found.index} class={`code-${kind}`}>
        {found[0]}
      </span>,
    )
    from = found.index + found[0].length
  }
  return [...shown, line.slice(from)]
}

/** A line with the word of a mistake underlined. */
function marked(line: string, column: number) {
  const at = Math.max(0, Math.min(column - 1, line.length - 1))
  const [word = ''] = /^(?:[\w-]+|.?)/.exec(line.slice(at)) ?? []
  return [
    line.slice(0, at),
    <mark key="mistake" class="mistake">
      {word || ' '}
    </mark>,
    line.slice(at + word.length),
  ]
}

/** The place that a message names, as in `line 3, column 11`. */
export function placeIn(message: string): Place | undefined {
  const found = /line (\d+),? column (\d+)/.exec(message)
  return found ? { line: Number(found[1]), column: Number(found[2]) } : undefined
}
