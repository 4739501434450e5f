import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { minion } from './minion.ts'

describe.runIf(existsSync('/usr/bin/ssh-keygen'))('ssh_known_hosts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-known-hosts-'))
  const config = join(folder, 'known_hosts')
  const salt = minion()
  let key: string

  beforeAll(() => {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', join(folder, 'key')])
    key = readFileSync(join(folder, 'key.pub'), 'utf8').trim()
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('absent removes a host, hashed or not, and leaves the others', async () => {
    writeFileSync(config, `git.example.com ${key}\nother.example.com ${key}\n`)
    const wish = { name: 'git.example.com', config }
    expect(await salt.state('ssh_known_hosts.absent', wish, true)).toMatchObject({
      result: null,
      comment: `Key for git.example.com is set to be removed from ${config}`,
    })
    expect(await salt.state('ssh_known_hosts.absent', wish)).toMatchObject({
      result: true,
      changes: { old: [{ hostname: 'git.example.com', enc: 'ssh-ed25519' }], new: null },
    })
    expect(readFileSync(config, 'utf8')).toBe(`other.example.com ${key}\n`)
    expect(await salt.state('ssh_known_hosts.absent', wish)).toEqual({
      result: true,
      comment: 'Host is already absent',
      changes: {},
    })
    execFileSync('ssh-keygen', ['-q', '-H', '-f', config], { stdio: 'ignore' })
    expect(await salt.state('ssh_known_hosts.absent', { name: 'other.example.com', config })).toMatchObject({
      result: true,
    })
    expect(readFileSync(config, 'utf8')).toBe('')
  })

  test('absent without a user needs an absolute path', async () => {
    expect(await salt.state('ssh_known_hosts.absent', { name: 'x', config: 'known_hosts' })).toMatchObject({
      result: false,
      comment: 'If not specifying a "user", specify an absolute "config".',
    })
  })

  test('a host name is no option of ssh-keygen', async () => {
    writeFileSync(config, `other.example.com ${key}\n`)
    const { result } = await salt.state('ssh_known_hosts.absent', { name: `-f${join(folder, 'x')}`, config })
    expect(result).toBe(true)
    expect(readFileSync(config, 'utf8')).toBe(`other.example.com ${key}\n`)
  })
})
