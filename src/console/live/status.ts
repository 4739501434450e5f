// The state of the master.
import { read } from '../api/client.ts'
import { expectAllowed } from '../session.ts'

/** Read the state of the master. For a user without the right, no request is sent. */
export async function readStatus(signal: AbortSignal) {
  expectAllowed('runner', 'manage.status')
  return await read('/v1/status', { signal })
}
