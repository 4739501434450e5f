// Headers of every answer of Salt's API.
import type { ApiService } from '../service.ts'

/**
 * Return the headers of an answer. Pages of other sites may read answers; they need the token, because browsers do not
 * send them the cookie.
 */
export function commonHeaders(request: Request, { settings }: Pick<ApiService, 'settings'>): Headers {
  const headers = new Headers({ Vary: 'Accept-Encoding' })
  const origin = request.headers.get('origin')
  if (settings.corsOrigins && (origin === null || !settings.corsOrigins.has(origin))) return headers
  headers.set('Access-Control-Allow-Origin', origin ?? '*')
  headers.set('Access-Control-Expose-Headers', 'GET, POST')
  headers.set('Access-Control-Allow-Credentials', 'true')
  return headers
}
