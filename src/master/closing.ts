// The end of a master: its parts are closed in the reverse order of their opening.
import { type Log, toError } from '../base/mod.ts'

/** Closes a part. */
export type Closing = () => unknown

/** Milliseconds that a part of the master may take to close: the journal and the stores are closed last, and have to be. */
const CLOSE_MS = 20_000

/**
 * Close all parts. A part that cannot be closed, such as a store on a full disk or a server that does not answer, does
 * not stop the others.
 */
export async function closeAll(closings: Closing[], log: Log): Promise<void> {
  for (const close of closings.splice(0).reverse()) {
    try {
      await inTime(close)
    } catch (error) {
      log('error', `Closing a part of the master failed: ${toError(error).message}`)
    }
  }
}

/** Wait for a part to close, but not for good. */
async function inTime(close: Closing): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const text = `${String(close)} takes longer than ${CLOSE_MS / 1000} seconds`
    timer = setTimeout(() => reject(new Error(text)), CLOSE_MS)
  })
  try {
    await Promise.race([close(), late])
  } finally {
    clearTimeout(timer)
  }
}
