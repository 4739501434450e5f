// `/stats`: counts of the server, in the two groups that CherryPy has.
import type { Value } from '../../data/mod.ts'
import type { ApiService } from '../service.ts'
import type { ApiResource, ResourceAnswer } from './resource.ts'

/** Return the resource of statistics. */
export const statsResource = (service: ApiService): ApiResource => ({
  handlers: { GET: { answer: () => stats(service) } },
  allow: 'GET, HEAD',
  sessions: ['GET'],
  login: service.settings.statsAuth ? ['GET'] : [],
})

function stats({ settings, counts, began }: ApiService): ResourceAnswer {
  const server = new Map<Value, Value>([
    ['Enabled', settings.collectStats],
    ['Bind Address', `('${settings.host}', ${settings.port})`],
    ['Run time', Math.floor(Date.now() / 1000 - began)],
    ['Accepts', counts.connections],
    ['Requests', counts.requests],
    ['Current Requests', counts.running],
    ['Bytes Read', counts.bytesRead],
    ['Bytes Written', counts.bytesWritten],
  ])
  const application = new Map<Value, Value>([
    ['Enabled', settings.collectStats],
    ['Total Requests', counts.requests],
    ['Current Requests', counts.running],
    ['Start Time', began],
    ['Uptime', Math.floor(Date.now() / 1000 - began)],
  ])
  const value: Value = new Map<Value, Value>([
    [`Cheroot HTTPServer ${process.pid}`, server],
    ['CherryPy Applications', application],
  ])
  return { value }
}
