// The status of a remote's fetches, in a file of its folder, so that every process can read it.
import { join } from 'node:path/posix'
import { readJson, writeWhole } from '../base/mod.ts'
import type { RemoteStatus } from './remote-updates.ts'

const now = (): number => Date.now() / 1000

export class NotedStatus {
  private readonly path: string

  constructor(folder: string) {
    this.path = join(folder, 'status.json')
  }

  read(): RemoteStatus {
    return { checkedAt: null, changedAt: null, error: null, ...readJson<RemoteStatus>(this.path) }
  }

  /** Note how an update ends; return whether something changed, or raise the error as the remote words it. */
  async during(update: () => Promise<boolean>, worded: (thrown: unknown) => Error): Promise<boolean> {
    const before = this.read()
    try {
      const isChanged = await update()
      const at = now()
      this.write({ checkedAt: at, changedAt: isChanged ? at : before.changedAt, error: null })
      return isChanged
    } catch (thrown) {
      const [error, at] = [worded(thrown), now()]
      this.write({ ...before, error: { text: error.message, since: before.error?.since ?? at, at } })
      throw error
    }
  }

  private write(status: RemoteStatus): void {
    writeWhole(this.path, JSON.stringify(status))
  }
}
