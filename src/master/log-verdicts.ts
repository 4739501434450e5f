// Records of this master that it appends to the log of the cluster and then reads there, which decides whether the record counts.
import { randomBytes } from 'node:crypto'

/** Milliseconds of the wait until this master reads its record in the log. */
const VERDICT_MS = 10_000

export class LogVerdicts {
  private readonly waiting = new Map<string, (isTaken: boolean) => void>()

  /** Append a record by `append`, which gets the id of the record; return the verdict. */
  async of(append: (id: string, verdict: Promise<boolean>) => Promise<unknown>): Promise<boolean> {
    const id = randomBytes(9).toString('base64url')
    let timer: NodeJS.Timeout | undefined
    const verdict = new Promise<boolean>((done, fail) => {
      this.waiting.set(id, done)
      timer = setTimeout(() => fail(new Error('this master has not read the log that far')), VERDICT_MS)
    })
    verdict.catch(() => {})
    try {
      await append(id, verdict)
      return await verdict
    } finally {
      clearTimeout(timer)
      this.waiting.delete(id)
    }
  }

  /** Note the verdict on the record with this id, if this master waits for it. */
  note(id: string, isTaken: boolean): void {
    this.waiting.get(id)?.(isTaken)
  }

  /** Refuse all records without a verdict. */
  refuseAll(): void {
    for (const refuse of this.waiting.values()) refuse(false)
  }
}
