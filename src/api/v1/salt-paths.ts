// Salt's resources for the OpenAPI document. Their handlers are in `salt/`; this file is documentation only.
import { type OpenAPIHono, z } from '@hono/zod-openapi'
import { Any, answer } from './shapes.ts'

type Registry = OpenAPIHono['openAPIRegistry']

const Returned = z.object({ return: Any }).openapi('SaltReturn')

const Welcome = z.object({ return: z.string(), clients: z.array(z.string()) }).openapi('SaltWelcome')

const Chunk = z
  .looseObject({
    client: z.string().openapi({ example: 'local' }),
    tgt: z.union([z.string(), z.array(z.string())]).optional(),
    tgt_type: z.string().optional(),
    fun: z.string().openapi({ example: 'test.ping' }),
    arg: z.union([z.string(), z.array(Any)]).optional(),
    kwarg: z.record(z.string(), Any).optional(),
  })
  .openapi('Lowstate', { description: 'One chunk of lowstate; further fields are keywords' })

const Lowstate = z.union([z.array(Chunk), Chunk])

const SaltLogin = z
  .looseObject({ username: z.string(), password: z.string().optional(), eauth: z.string() })
  .openapi('SaltLogin')

const FORMS = ['application/json', 'application/x-yaml', 'application/x-www-form-urlencoded'] as const

const given = (schema: z.ZodType) => ({
  required: true,
  content: Object.fromEntries(FORMS.map((form) => [form, { schema }])),
})

const page = (description: string) => ({ description, content: { 'text/html': { schema: z.string() } } })

const UNAUTHORIZED = { 401: page('There is no session, or a right is missing') }

interface SaltPath {
  method: 'get' | 'post'
  path: string
  id: string
  summary: string
  takes?: z.ZodType
  gives?: z.ZodType | string
  status?: number
  params?: z.ZodObject
  isOpen?: boolean
}

const minion = z.object({ mid: z.string() })
const jid = z.object({ jid: z.string() })

const PATHS: readonly SaltPath[] = [
  { method: 'get', path: '/', id: 'saltWelcome', summary: 'List the clients', gives: Welcome, isOpen: true },
  { method: 'post', path: '/', id: 'saltRunSession', summary: 'Run lowstate with the session', takes: Lowstate },
  { method: 'get', path: '/login', id: 'saltAskLogin', summary: 'Ask for a login', isOpen: true },
  { method: 'post', path: '/login', id: 'saltLogin', summary: 'Begin a session', takes: SaltLogin, isOpen: true },
  { method: 'post', path: '/logout', id: 'saltLogout', summary: 'End the session' },
  { method: 'post', path: '/token', id: 'saltToken', summary: 'Make a token of Salt', takes: SaltLogin, isOpen: true },
  { method: 'get', path: '/minions', id: 'saltMinions', summary: 'Ask all minions for their grains' },
  { method: 'post', path: '/minions', id: 'saltBeginJobs', summary: 'Begin jobs', takes: Lowstate, status: 202 },
  { method: 'get', path: '/minions/{mid}', id: 'saltMinion', summary: 'Ask a minion for its grains', params: minion },
  { method: 'get', path: '/jobs', id: 'saltJobs', summary: 'List jobs' },
  { method: 'get', path: '/jobs/{jid}', id: 'saltJob', summary: 'Show a job and its returns', params: jid },
  { method: 'get', path: '/keys', id: 'saltKeys', summary: 'List the keys of minions' },
  { method: 'get', path: '/keys/{mid}', id: 'saltKey', summary: 'Show the fingerprint of a key', params: minion },
  {
    method: 'post',
    path: '/keys',
    id: 'saltMakeKeys',
    summary: 'Make and accept a pair of keys',
    takes: z.looseObject({ mid: z.string() }),
    gives: 'application/x-tar',
  },
  {
    method: 'post',
    path: '/run',
    id: 'saltRun',
    summary: 'Run lowstate that carries its credentials',
    takes: Lowstate,
    isOpen: true,
  },
  {
    method: 'post',
    path: '/hook',
    id: 'saltHook',
    summary: 'Fire an event below salt/netapi/hook',
    takes: z.looseObject({}),
    gives: z.object({ success: z.boolean() }),
  },
  {
    method: 'get',
    path: '/events',
    id: 'saltEvents',
    summary: 'Follow the events of the master',
    gives: 'text/event-stream',
  },
  { method: 'get', path: '/stats', id: 'saltStats', summary: 'Show counts of the server', gives: z.looseObject({}) },
]

/** Describe Salt's resources. */
export function describeSaltPaths(registry: Registry): void {
  for (const { method, path, id, summary, takes, gives = Returned, status = 200, params, isOpen } of PATHS) {
    const content =
      typeof gives === 'string'
        ? { description: summary, content: { [gives]: { schema: z.string() } } }
        : answer(gives, summary)
    registry.registerPath({
      method,
      path,
      operationId: id,
      summary,
      tags: ['Salt'],
      ...(isOpen && { security: [] }),
      request: { ...(takes && { body: given(takes) }), ...(params && { params }) },
      responses: { [status]: content, ...UNAUTHORIZED },
    })
  }
}
