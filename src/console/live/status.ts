// The state of the master.
import { read } from '../api/client.ts'
import { expectAllowed } from '../session.ts'

/** Read the state of the master. A user without the right for it is told so without a request. */
export async function readStatus(signal: AbortSignal) {
  expectAllowed('runner', 'manage.status')
  return await read('/v1/status', { signal })
}
