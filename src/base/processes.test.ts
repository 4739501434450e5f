import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isGone } from './processes.ts'

test('A process is gone when it has ended', async () => {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' })
  expect(isGone(child.pid!)).toBe(false)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect([isGone(child.pid!), isGone(process.pid)]).toEqual([true, false])
})

test.skipIf(!existsSync('/proc/self/stat'))('A zombie process counts as ended', async () => {
  // the shell starts a process that ends, and becomes a program that does not look after it
  const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    const [line] = await once(parent.stdout, 'data')
    await expect.poll(() => isGone(Number(line))).toBe(true)
  } finally {
    parent.kill('SIGKILL')
  }
})
