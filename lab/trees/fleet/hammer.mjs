// Asks the load balancer again and again until it is told to stop, and counts who answered.
import { existsSync, writeFileSync } from 'node:fs'

const answers = {}
while (!existsSync('/tmp/stop')) {
  const answer = await fetch('http://localhost/').then(
    async (response) => (response.ok ? (await response.text()).trim() : `status ${response.status}`),
    (error) => String(error),
  )
  answers[answer] = (answers[answer] ?? 0) + 1
}
writeFileSync('/tmp/answers', JSON.stringify(answers))
