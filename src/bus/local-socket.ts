// Sockets in the file system. The path of a socket has exactly the wanted mode from the first moment, so no other user of the
// machine can connect before the mode is set.
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { BrineError, type Log } from '../base/mod.ts'

export interface LocalSocket {
  path: string
  mode: number
  log: Log
}

/** Listen at a path with this mode. Replace the socket of a dead daemon; fail if a running daemon serves it. */
export async function serveLocal({ path, mode, log }: LocalSocket, take: (socket: Socket) => void): Promise<Server> {
  mkdirSync(dirname(path), { recursive: true })
  if (await isServed(path)) {
    throw new BrineError('BusTaken', `Already running: another daemon uses ${path}`)
  }
  rmSync(path, { force: true })
  const server = createServer(take)
  // threads share their process' mask and may not set it
  const before = isMainThread ? process.umask(0o177) : undefined
  try {
    await new Promise<void>((done, fail) => {
      server.once('error', fail)
      server.listen(path, done)
    })
  } finally {
    if (before !== undefined) process.umask(before)
  }
  chmodSync(path, mode)
  // for example, no free file descriptors; the socket keeps listening
  server.on('error', (error) => log('error', `Cannot accept a connection at ${path}: ${error.message}`))
  return server
}

/** Stop listening, and remove the path. */
export function closeLocal(server: Server): Promise<void> {
  return new Promise((done) => {
    server.close(() => done())
  })
}

/** Whether a daemon answers at this socket. */
export function isServed(path: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = createConnection(path)
    socket.once('connect', () => {
      socket.destroy()
      done(true)
    })
    socket.once('error', () => done(false))
  })
}
