import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { addressOf, problemOf } from '../../data/call.ts'
import { tokenHeaders } from '../../data/tokens.ts'
import { Choice } from '../../ui/choice.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { isSimulated } from './usage.tsx'

const streams = ['stdout', 'stderr'] as const

/** How much of a longer output is shown: its end. */
const mostCharacters = 200_000

/** The output of a task, followed while it is shown. */
export function TaskLog({ allocation, task }: { readonly allocation: string; readonly task: string }) {
  const stream = useSignal<(typeof streams)[number]>('stdout')
  const text = useSignal('')
  const state = useSignal('Reading …')
  const box = useRef<HTMLPreElement>(null)
  useEffect(() => {
    const over = new AbortController()
    text.value = ''
    state.value = 'Reading …'
    const add = (part: string) => {
      const { current } = box
      const isAtEnd = !current || current.scrollHeight - current.scrollTop - current.clientHeight < 40
      text.value = (text.value + part).slice(-mostCharacters)
      if (isAtEnd) requestAnimationFrame(() => current?.scrollTo(0, current.scrollHeight))
    }
    const follow = async () => {
      const response = await openLog(allocation, task, stream.value, over.signal)
      if (!response.ok || !response.body) throw await problemOf(response)
      state.value = 'Live: new lines appear as the task writes them.'
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
      for (let part = await reader.read(); !part.done; part = await reader.read()) add(part.value)
      state.value = 'The output is complete.'
    }
    follow().catch((error: unknown) => {
      if (over.signal.aborted) return
      const message = error instanceof Error ? error.message : String(error)
      state.value = isSimulated(message)
        ? 'The node of this allocation is simulated: it runs no tasks, so that there is no output.'
        : message
    })
    return () => over.abort()
  }, [allocation, task, stream.value])
  return (
    <div>
      <p class="line">
        <Choice label="Output" value={stream} options={streams} />
        {text.value !== '' && <CopyButton text={text.value} what={`${stream.value} of ${task}`} />}
        <span class="muted" role="status">
          {state.value}
        </span>
      </p>
      {text.value !== '' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard
        <pre ref={box} class="log" role="log" aria-label={`${stream.value} of ${task}`} tabIndex={0}>
          {text.value}
        </pre>
      )}
    </div>
  )
}

/** The end of an output, and what follows. */
const openLog = (allocation: string, task: string, type: (typeof streams)[number], signal: AbortSignal) => {
  const query = { task, type, follow: 'true', plain: 'true', origin: 'end', offset: mostCharacters }
  return fetch(addressOf('scheduler', `/v1/client/fs/logs/${allocation}`, query), {
    headers: tokenHeaders('scheduler'),
    signal,
    cache: 'no-store',
    credentials: 'omit',
  })
}
