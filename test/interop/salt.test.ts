import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { SaltSite } from './salt.ts'

describe('A program of Salt', () => {
  it('is ended with all its processes, so that the next one finds none with its pid file', async () => {
    const site = new SaltSite()
    const script = 'sleep 600 & echo started; wait'
    const child = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'], detached: true })
    await once(child.stdout!, 'data')
    await site.end(child)
    expect(() => process.kill(-child.pid!, 0)).toThrow('ESRCH')
    await site.stop()
  })
})
