// Queries to a server of range expressions (https://github.com/ytoolshed/range): `GET /range/list?<expression>` answers one name a
// line, or a header that says why not.
import { toError } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { sendHttp } from '../../http/mod.ts'
import type { RosterRequest } from './backend.ts'
import { RosterError } from './errors.ts'

const SECONDS = 30
const MOST_BYTES = 16 * 1024 * 1024

/** Return the names that the range server expands an expression to. */
export async function rangeHosts({ opts, log }: RosterRequest, expression: string): Promise<string[]> {
  const server = option(opts, 'range_server')
  if (!/^[\w.-]+(:\d{1,5})?$|^\[[\da-f:]+\](:\d{1,5})?$/i.test(server)) {
    throw new RosterError('RosterUnreadable', `Option 'range_server' is no host with a port: '${server}'`)
  }
  const url = `http://${server}/range/list?${encodeURIComponent(expression)}`
  const failed = (why: string): RosterError =>
    new RosterError('RosterUnreadable', `Range server exception: ${why}`, {
      hint: `The option 'range_server' is '${server}'`,
    })
  log('debug', `Querying range for '${expression}'`)
  let answer: Awaited<ReturnType<typeof sendHttp>>
  try {
    answer = await sendHttp({
      url,
      method: 'GET',
      headers: new Map(),
      body: undefined,
      connectTimeout: SECONDS,
      timeout: SECONDS,
      maxBody: MOST_BYTES,
      tls: { verify: true },
    })
  } catch (error) {
    throw failed(toError(error).message)
  }
  const refusal = [...answer.headers].find(([name]) => name.toLowerCase() === 'rangeexception')?.[1]
  if (refusal !== undefined) throw failed(refusal)
  if (answer.status !== 200) throw failed(`${server} answers with status ${answer.status}`)
  return new TextDecoder()
    .decode(answer.body)
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
}
