// Short messages about actions, which disappear after a while.
import { signal } from '@preact/signals'

interface Toast {
  id: number
  text: string
  tone: 'ok' | 'failed'
}

const shown = signal<readonly Toast[]>([])
let next = 1

const STAYS_MS = { ok: 4000, failed: 12_000 }

export function toast(text: string, tone: Toast['tone'] = 'ok'): void {
  const id = next++
  shown.value = [...shown.value, { id, text, tone }].slice(-4)
  setTimeout(() => {
    shown.value = shown.value.filter((each) => each.id !== id)
  }, STAYS_MS[tone])
}

/** Run an action and show its success or failure. Return whether it succeeded. */
export async function attempt(work: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await work()
    if (done !== undefined) toast(done)
    return true
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), 'failed')
    return false
  }
}

export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {shown.value.map(({ id, text, tone }) => (
      <div key={id} class="toast" data-tone={tone}>
        {text}
      </div>
    ))}
  </div>
)
