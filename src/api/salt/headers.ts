// Headers of every answer of Salt's API.
import { addCors } from '../cors.ts'
import type { ApiService } from '../service.ts'

/** Return the headers that every answer to a request has. */
export function commonHeaders(request: Request, { settings }: Pick<ApiService, 'settings'>): Headers {
  const headers = new Headers({ Vary: 'Accept-Encoding' })
  addCors(request, settings, headers)
  return headers
}
