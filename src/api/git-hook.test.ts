import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { silentLog } from '../base/mod.ts'
import { fromPlain } from '../data/mod.ts'
import { HookUpdates, isProvenHook, placesOfPayload } from './git-hook.ts'

const SECRET = 'a long secret'
const BODY = '{"repository": {}}'
const signature = (body: string, secret = SECRET): string => createHmac('sha256', secret).update(body).digest('hex')

test.each<[string, Record<string, string>]>([
  ['GitHub', { 'X-Hub-Signature-256': `sha256=${signature(BODY)}` }],
  ['Gitea', { 'X-Gitea-Signature': signature(BODY) }],
  ['GitLab', { 'X-Gitlab-Token': SECRET }],
])('A hook of %s with the secret is taken', (_, headers) => {
  expect(isProvenHook(new Headers(headers), BODY, SECRET)).toBe(true)
})

test.each<[string, Record<string, string>]>([
  ['no proof', {}],
  ['a signature by another secret', { 'X-Hub-Signature-256': `sha256=${signature(BODY, 'other')}` }],
  ['a signature of another body', { 'X-Hub-Signature-256': `sha256=${signature('{}')}` }],
  ['an old signature', { 'X-Hub-Signature': `sha1=${signature(BODY)}` }],
  ['an empty signature beside a token', { 'X-Hub-Signature-256': '', 'X-Gitlab-Token': SECRET }],
  ['another token', { 'X-Gitlab-Token': `${SECRET}x` }],
])('A hook with %s is refused', (_, headers) => {
  expect(isProvenHook(new Headers(headers), BODY, SECRET)).toBe(false)
})

test('The repository of a push is known by server and path, whatever the protocol', () => {
  const github = {
    repository: { clone_url: 'https://github.com/team/States.git', ssh_url: 'git@github.com:team/States.git' },
  }
  expect([...placesOfPayload(fromPlain(github))]).toEqual(['github.com/team/States'])
  const gitlab = {
    project: { git_ssh_url: 'ssh://git@git.example.com:2222/a/b.git', web_url: 'http://git.example.com/a/b' },
  }
  expect([...placesOfPayload(fromPlain(gitlab))]).toEqual(['git.example.com/a/b'])
  expect([...placesOfPayload(fromPlain({ repository: { clone_url: 5 }, project: 'x' }))]).toEqual([])
})

test('Hooks that are sent again and again while an update and its pause last make one further update', async () => {
  const updated: string[][] = []
  let isFailing = true
  const server = {
    update: async (_tell: unknown, _backend: unknown, wish?: { remotes?: readonly string[] }) => {
      updated.push([...(wish?.remotes ?? [])])
      if (isFailing) throw new Error('unreachable')
    },
  }
  const updates = new HookUpdates(server, silentLog, async () => undefined, 300)
  for (let count = 0; count < 100; count++) updates.begin(['one'])
  updates.begin(['two'])
  await expect.poll(() => updated.length).toBe(2)
  expect(updated).toEqual([['one'], ['one', 'two']])
  isFailing = false
  updates.begin(['three'])
  await expect.poll(() => updated.length).toBe(3)
  expect(updated[2]).toEqual(['three'])
})
