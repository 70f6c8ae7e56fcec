import {
  Decoration,
  type DecorationSet,
  type EditorView,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'

/** Comments, strings, values and the names of blocks: of HCL, and of JSON, which has the middle two. */
const parts =
  /(?<comment>(?:#|\/\/).*)|(?<string>"(?:[^"\\]|\\.)*")|(?<value>\b(?:true|false|null|\d+(?:\.\d+)?)\b)|(?<block>\b[A-Za-z_][\w-]*(?=\s*(?:"[^"]*"\s*)*\{))/g

const marks = Object.fromEntries(
  ['comment', 'string', 'value', 'block'].map((name) => [name, Decoration.mark({ class: `cm-job-${name}` })]),
)

const matcher = new MatchDecorator({
  regexp: parts,
  decoration: ({ groups = {} }) => {
    const name = Object.keys(marks).find((each) => groups[each] !== undefined)
    return name === undefined ? null : (marks[name] ?? null)
  },
})

/** Highlights the visible part of a job's text. */
export const jobColours = ViewPlugin.define<{
  decorations: DecorationSet
  update: (update: ViewUpdate) => void
}>(
  (view: EditorView) => ({
    decorations: matcher.createDeco(view),
    update(update) {
      this.decorations = matcher.updateDeco(update, this.decorations)
    },
  }),
  { decorations: ({ decorations }) => decorations },
)
