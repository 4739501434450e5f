// A mail server that keeps what it is sent.
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:net'

createServer((socket) => {
  let receiving = false
  socket.write('220 ready\r\n')
  socket.on('data', (chunk) => {
    const text = String(chunk)
    if (receiving) appendFileSync('/tmp/mail', text)
    const ended = receiving && text.endsWith('\r\n.\r\n')
    if (receiving && !ended) return
    receiving = /^DATA/i.test(text)
    socket.write(receiving ? '354 go on\r\n' : '250 ok\r\n')
  })
}).listen(25)
