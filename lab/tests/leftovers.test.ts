// What a lab leaves behind when its process is killed, and that the next one removes it.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { attempt, run } from '../command.ts'
import { removeLeftovers } from '../lab.ts'
import { RUNNING } from '../program.ts'

it('the network, hosts and disks of a killed lab are removed by the next', async () => {
  const child = spawn(process.execPath, [
    '--import',
    'tsx',
    join(import.meta.dirname, '..', 'run.ts'),
    'boot',
    'left01',
  ])
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => String(chunk).includes('left01 at') && resolve())
    child.once('exit', () => reject(new Error('the lab ended before its host was up')))
  })
  const name = `brine-lab-${child.pid}`
  const hosts = ['pgrep', '-f', `^systemd-nspawn .*${name}`]
  expect((await attempt(hosts)).code).toBe(0)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
  expect([await run(['ip', 'netns', 'list']), existsSync(join(RUNNING, name))]).toEqual([
    expect.stringContaining(name),
    true,
  ])
  await removeLeftovers()
  expect(await run(['ip', 'netns', 'list'])).not.toContain(name)
  expect([existsSync(join(RUNNING, name)), (await attempt(hosts)).code]).toEqual([false, 1])
})
