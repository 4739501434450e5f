// Loads the image into a docker daemon that is started for it, without a network, and runs what the manual promises: salt-call, and a
// master that is not root and has a minion.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../../test/until.ts'

export async function tryImage(archive: string, name: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'brine-image-try-'))
  const path = (part: string): string => join(folder, part)
  const socket = `unix://${path('docker.sock')}`
  const folders = ['--data-root', path('data'), '--exec-root', path('exec'), '--pidfile', path('pid')]
  const plain = ['--iptables=false', '--ip6tables=false', '--bridge=none', '--storage-driver=vfs', '--host', socket]
  const daemon = spawn('dockerd', [...folders, ...plain], { stdio: 'ignore' })
  const docker = (...words: string[]): string =>
    execFileSync('docker', ['--host', socket, ...words], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const says = (text: string, ...words: string[]): boolean => {
    try {
      return docker(...words).includes(text)
    } catch {
      // not yet
      return false
    }
  }
  try {
    await until('dockerd answers', () => existsSync(path('docker.sock')))
    docker('load', '--input', archive)
    const run = (...words: string[]): string => docker('run', '--rm', '--network=none', name, ...words)
    assertSays(run('salt-call', '--local', 'test.ping'), 'True')
    assertSays(run('id', '-un'), 'salt')
    docker('run', '--detach', '--name=master', '--network=none', name)
    const config = 'master: 127.0.0.1\nid: inside\nroot_dir: /tmp/minion\nacceptance_wait_time: 1\n'
    const start = `mkdir /tmp/minion; printf '${config.replaceAll('\n', '\\n')}' > /tmp/minion/minion; salt-minion -c /tmp/minion -d`
    docker('exec', '--user=0', 'master', 'sh', '-c', start)
    await until('the minion sends its key', () => says('inside', 'exec', 'master', 'salt-key', '-l', 'pre'))
    docker('exec', 'master', 'salt-key', '-y', '-a', 'inside')
    await until('the minion answers', () => says('True', 'exec', 'master', 'salt', 'inside', 'test.ping'))
    docker('stop', 'master')
    assertSays(docker('inspect', '--format={{.State.ExitCode}}', 'master'), '0')
    process.stdout.write('The image works: salt-call, a master as an ordinary user, and a minion\n')
  } finally {
    const ended = new Promise((done) => daemon.once('exit', done))
    daemon.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}

function assertSays(text: string, expected: string): void {
  if (!text.includes(expected)) throw new Error(`Expected ${expected}, but got: ${text}`)
}
