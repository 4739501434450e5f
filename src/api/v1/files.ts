// The tree of the file server: its environments, single folders, and the text of a file. The rights are those for the
// runner functions `fileserver.envs`, `fileserver.file_list` and `fileserver.dir_list`, and for `cp.get_file_str`
// through `salt.cmd`.
import { normalize } from 'node:path/posix'
import { createRoute, z } from '@hono/zod-openapi'
import { isAnyError, recover } from '../../base/mod.ts'
import { FileServer } from '../../fileserver/mod.ts'
import { ownBackends } from '../../pybridge/mod.ts'
import { HttpError } from '../errors.ts'
import type { ApiService } from '../service.ts'
import type { V1App } from './call.ts'
import { refusals } from './problems.ts'
import { answer, cursorOf, line, pageOf, paging, placeShape } from './shapes.ts'

const Environment = z.object({ name: z.string() }).openapi('Environment')

const tags = ['Files']

const environments = createRoute({
  method: 'get',
  path: '/v1/environments',
  operationId: 'listEnvironments',
  summary: 'List the environments of the file server',
  description: 'Equals the runner function `fileserver.envs`.',
  tags,
  responses: {
    200: answer(pageOf(Environment).openapi('EnvironmentList'), 'All environments'),
    ...refusals(401, 403),
  },
})

const Saltenv = line(200).default('base').openapi({ description: 'The environment' })

const FileItem = z
  .object({
    name: z.string(),
    path: z.string().openapi({ description: 'The path below `salt://`' }),
    kind: z.enum(['file', 'folder']),
    size: z.int().nullable().openapi({ description: 'Bytes of a file' }),
  })
  .openapi('FileItem')

const folder = createRoute({
  method: 'get',
  path: '/v1/files',
  operationId: 'listFiles',
  summary: 'List a folder of the file server',
  description: 'Equals the runner functions `fileserver.file_list` and `fileserver.dir_list`, for one folder.',
  tags,
  request: {
    query: z.strictObject({
      saltenv: Saltenv,
      path: line(4000).optional().openapi({ description: 'A folder below `salt://`; without it the top' }),
      ...paging,
    }),
  },
  responses: {
    200: answer(pageOf(FileItem).openapi('FileList'), 'A page of the folder'),
    ...refusals(400, 401, 403, 404),
  },
})

const LONGEST = 256 * 1024

const FileContent = z
  .object({
    path: z.string(),
    size: z.int(),
    text: z.string().nullable().openapi({ description: 'Null where the file is no text of UTF-8' }),
    truncated: z.boolean().openapi({ description: `Whether the file is longer than ${LONGEST} bytes` }),
    backend: z.string().openapi({ description: 'The backend of the file server that has the file' }),
    fullPath: z.string().nullable().openapi({ description: 'The file on the machine of the master' }),
  })
  .openapi('FileContent')

const content = createRoute({
  method: 'get',
  path: '/v1/files/content',
  operationId: 'getFile',
  summary: 'Read a file of the file server',
  description:
    'Needs the rights to call the runner functions `fileserver.file_list` and `salt.cmd` with `cp.get_file_str`.',
  tags,
  request: { query: z.strictObject({ saltenv: Saltenv, path: line(4000) }) },
  responses: { 200: answer(FileContent, 'The file'), ...refusals(400, 401, 403, 404) },
})

export function addFileRoutes(site: V1App, { master }: ApiService): void {
  const { host } = master.access
  const server = new FileServer(master.access.opts, host, master.access.log, ownBackends)
  site.openapi(environments, async (c) => {
    await c.var.call.need('runner', 'fileserver.envs')
    return c.json({ items: (await server.envs()).map((name) => ({ name })), next: null }, 200)
  })
  site.openapi(folder, async (c) => {
    const { saltenv, path = '', limit, cursor } = c.req.valid('query')
    const { call } = c.var
    await call.need('runner', 'fileserver.file_list', { saltenv })
    await call.need('runner', 'fileserver.dir_list', { saltenv })
    const entries = await server.folder(path, saltenv)
    if (!entries) throw new HttpError(404, 'There is no such folder')
    const after = placeShape(cursor, 1)?.[0] ?? ''
    const rest = entries.filter(({ name }) => name > after)
    const items = rest.slice(0, limit)
    return c.json({ items, next: rest.length > limit ? cursorOf([items.at(-1)!.name]) : null }, 200)
  })
  site.openapi(content, async (c) => {
    const { saltenv, path: given } = c.req.valid('query')
    const { call } = c.var
    // the path that is judged is the path that is read
    const path = normalize(given)
    await call.need('runner', 'fileserver.file_list', { saltenv })
    await call.need('runner', 'salt.cmd', { saltenv }, ['cp.get_file_str', `salt://${path}`])
    // the file server reads a path behind a bar as the path itself
    const found = path.startsWith('|') ? undefined : await server.find(path, saltenv)
    if (!found) throw new HttpError(404, 'There is no such file')
    const bytes = await host.read(found.path, { offset: 0, length: LONGEST })
    return c.json(
      {
        path: found.rel,
        size: found.stat.size,
        text: textIn(bytes),
        truncated: found.stat.size > LONGEST,
        backend: found.back,
        fullPath: found.path,
      },
      200,
    )
  })
}

/** Return bytes as text; null for binary data. The last character may be cut. */
function textIn(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null
  // no text of UTF-8
  return recover(isAnyError, null, () => new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true }))
}
