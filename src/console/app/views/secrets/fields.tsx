import { CopyButton } from '../../ui/copy-button.tsx'
import { RevealButton } from '../../ui/reveal-button.tsx'
import { useRevealed } from '../../ui/revealed.ts'

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The placeholder of a hidden value. */
export const hiddenText = '••••••••'

/** The fields of a secret, hidden until they are revealed, and only for a while. */
export function Fields({ data }: { readonly data: Readonly<Record<string, unknown>> }) {
  return (
    <ul class="plain">
      {Object.entries(data).map(([name, value]) => (
        <Field key={name} name={name} text={textOf(value)} />
      ))}
    </ul>
  )
}

function Field({ name, text }: { readonly name: string; readonly text: string }) {
  const isShown = useRevealed()
  return (
    <li class="item field">
      <code>{name}</code>
      <span class="secret">{isShown.value ? text : hiddenText}</span>
      <span class="actions">
        <RevealButton isShown={isShown}>{name}</RevealButton>
        <CopyButton text={text} what={name} isSecret />
      </span>
    </li>
  )
}
