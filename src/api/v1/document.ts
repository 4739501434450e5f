// The OpenAPI document: the declared routes under `/v1`, and descriptions of Salt's resources.
import { brineVersion } from '../../base/mod.ts'
import type { V1App } from './call.ts'
import { isRefusalResponse } from './problems.ts'
import { describeSaltPaths } from './salt-paths.ts'

const TAGS: ReadonlyArray<readonly [string, string]> = [
  ['Sessions', 'Logins and sessions'],
  ['Minions', 'Minions as the master knows them'],
  ['Jobs', 'Jobs and their returns'],
  ['Calls', 'Functions of the master'],
  ['Keys', 'Public keys of minions'],
  ['Orchestration', 'Orchestration runs and their steps'],
  ['Reactor', 'Reactions to events'],
  ['Events', 'Events of the master as they come'],
  ['Files', 'The tree of the file server'],
  ['Functions', 'What functions there are, with their arguments and results'],
  ['Master', 'The master itself'],
  ['Salt', "The interface of Salt's own REST API (rest_cherrypy, rest_tornado and rest_wsgi)"],
]

const DESCRIPTION = `Two interfaces to a master over HTTP.

The resources under \`/v1\` are for programs and for the web console. All others are those of Salt's REST API.

**Rights.** Each resource names the Salt function that it equals. The caller needs the right for this function, from the option \`external_auth\`. A user always may see the jobs that the user began.

**Errors** are \`application/problem+json\` (RFC 9457). For bad input, \`errors\` names the fields.

**Lists** come in pages: \`next\` is the \`cursor\` of the next request.`

/** Return the text of the document. `prefix` is the path in front of all others. */
export function documentText(site: V1App, prefix: string): string {
  const { openAPIRegistry: registry } = site
  if (!registry.definitions.some(({ type }) => type === 'component')) {
    registry.registerComponent('securitySchemes', 'token', {
      type: 'apiKey',
      in: 'header',
      name: 'X-Auth-Token',
      description: 'The id of a session',
    })
    registry.registerComponent('securitySchemes', 'bearer', {
      type: 'http',
      scheme: 'bearer',
      description: 'The id of a session, or a token of Salt',
    })
    registry.registerComponent('securitySchemes', 'cookie', { type: 'apiKey', in: 'cookie', name: 'session_id' })
    describeSaltPaths(registry)
  }
  const document = site.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Brine',
      version: brineVersion(),
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: prefix === '' ? '/' : prefix }],
    security: [{ token: [] }, { bearer: [] }, { cookie: [] }],
    tags: TAGS.map(([name, description]) => ({ name, description })),
  })
  addEventNumbers(document)
  shareRefusals(document)
  return JSON.stringify(document)
}

type OpenApiDocument = ReturnType<V1App['getOpenAPI31Document']>

const EVENT_NUMBER = {
  description:
    'The number of the last event that the API had seen before it read the answer. A stream of events with this number as `since` misses nothing.',
  schema: { type: 'integer' as const },
}

/** Describe the header that all answers to `GET` under `/v1` have which need a session. */
function addEventNumbers(document: OpenApiDocument): void {
  document.components = { ...document.components, headers: { EventNumber: EVENT_NUMBER } }
  for (const [path, { get }] of Object.entries(document.paths ?? {})) {
    const needsSession = get?.security === undefined || get.security.length > 0
    if (!path.startsWith('/v1/') || !get || !needsSession) continue
    const shown = get.responses?.['200']
    if (shown) shown.headers = { ...shown.headers, 'Event-Number': { $ref: '#/components/headers/EventNumber' } }
  }
}

/** Describe each kind of refusal once, as a component: routes refer to it. */
function shareRefusals(document: OpenApiDocument): void {
  const shared: NonNullable<OpenApiDocument['components']>['responses'] = {}
  for (const { get, post, put, patch, delete: remove } of Object.values(document.paths ?? {})) {
    for (const operation of [get, post, put, patch, remove]) {
      const responses = operation?.responses ?? {}
      for (const [status, response] of Object.entries(responses)) {
        if (!isRefusalResponse(response)) continue
        const name = `Problem${status}`
        shared[name] ??= response
        responses[status] = { $ref: `#/components/responses/${name}` }
      }
    }
  }
  const inOrder = Object.entries(shared).sort(([one], [other]) => (one < other ? -1 : 1))
  document.components = { ...document.components, responses: Object.fromEntries(inOrder) }
}
