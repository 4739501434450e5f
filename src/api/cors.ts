// What pages of other sites may read.
import type { ApiSettings } from './settings.ts'

/** Pages of other sites may read answers; they need the token for that, since browsers keep the cookie from them. */
export function addCors(request: Request, { corsOrigins }: ApiSettings, headers: Headers): void {
  const origin = request.headers.get('origin')
  if (corsOrigins && (origin === null || !corsOrigins.has(origin))) return
  headers.set('Access-Control-Allow-Origin', origin ?? '*')
  headers.set('Access-Control-Expose-Headers', 'GET, POST')
  headers.set('Access-Control-Allow-Credentials', 'true')
}
