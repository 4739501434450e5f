// The dialog that fires an event.
import { useState } from 'preact/hooks'
import { Problem, post } from '../../api/client.ts'
import { shellWord } from '../../format.ts'
import { setParams } from '../../route.ts'
import { Button, copy, Field, Notice } from '../../ui/basic.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toasts.tsx'

/** Read the JSON of the form: an object, or why it is none. */
export function readData(text: string): { data?: Record<string, unknown>; wrong?: string } {
  if (text.trim() === '') return { data: {} }
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { data: value as Record<string, unknown> }
    return { wrong: 'The data of an event is an object: {"key": "value"}' }
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) }
  }
}

/** The command that fires an event. */
export const fireCommand = (tag: string, data: Record<string, unknown>): string =>
  `salt-run event.send ${shellWord(tag)} ${shellWord(JSON.stringify(data))}`

export function FireDialog({ tag: first, onClose }: { tag: string; onClose(): void }) {
  const [tag, setTag] = useState(first)
  const [text, setText] = useState('{}')
  const [problem, setProblem] = useState<Problem | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  const { data, wrong } = readData(text)
  const refused = (field: string): string | undefined => problem?.fields.find((each) => each.field === field)?.reason
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (!data || isBusy) return
    setBusy(true)
    try {
      const { number } = await post('/v1/events', { body: { tag, data } })
      toast(number === null ? `Fired ${tag}` : `Fired ${tag} as event ${number}`)
      setParams({ fire: null, event: number })
    } catch (error) {
      setProblem(error instanceof Problem ? error : new Problem(0, String(error)))
    }
    setBusy(false)
  }
  return (
    <Dialog label="Fire an event" onClose={onClose}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <h2>Fire an event</h2>
        {problem && problem.fields.length === 0 && <Notice tone="failed">{problem.message}</Notice>}
        <Field label="Tag" hint="Reactor rules and listeners choose by it" wrong={refused('tag')}>
          {(ids) => (
            <input
              {...ids}
              class="input mono"
              required
              maxLength={1000}
              autocomplete="off"
              spellcheck={false}
              placeholder="myapp/deploy/complete"
              value={tag}
              onInput={(event) => setTag(event.currentTarget.value)}
            />
          )}
        </Field>
        <Field label="Data" hint="JSON" wrong={wrong ?? refused('data')}>
          {(ids) => (
            <textarea
              {...ids}
              class="textarea"
              rows={6}
              spellcheck={false}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          )}
        </Field>
        <div class="actions">
          <Button
            icon="copy"
            disabled={!data || tag === ''}
            onClick={() => void copy(fireCommand(tag, data ?? {}), 'Command copied')}
          >
            Copy command
          </Button>
          <span class="grow" />
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={!data || tag === '' || isBusy}>
            Fire
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
