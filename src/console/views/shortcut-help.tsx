// The list of keys.
import { COMMON_KEYS } from '../keyboard.ts'
import { setParams } from '../route.ts'
import { Button } from '../ui/basic.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { VIEWS } from '../views.ts'

const close = (): void => setParams({ help: null })

export const ShortcutHelp = () => (
  <Dialog label="Keys" onClose={close}>
    <div class="stack">
      <h2>Keys</h2>
      <table class="plain-table">
        <tbody>
          {[...COMMON_KEYS, ...VIEWS.map(({ key, title }) => [`g ${key}`, title] as const)].map(([keys, meaning]) => (
            <tr key={keys}>
              <td>
                <kbd>{keys}</kbd>
              </td>
              <td>{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="actions">
        <Button onClick={close}>Close</Button>
      </div>
    </div>
  </Dialog>
)
