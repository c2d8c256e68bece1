/** The page of a link, in a real browser. */
import { expect } from 'vitest'
import { createLink } from '../../../src/index.ts'
import { accountOf, responseItem } from '../../support/accounts/account.ts'
import { describePage } from '../../support/http/browser.ts'
import { serve } from '../../support/http/serving.ts'
import { optionOf, startStage } from '../../support/runs/stage.ts'

const attack = `<img src="http://127.0.0.1:1/x" onerror="document.title='run'"><script>document.title='run'</script>`

interface Seen {
  readonly heads: number
  readonly cells: readonly string[]
}

describePage<Seen>(
  'the page of a link in a browser',
  {
    title: '%s fits, can be read, and runs nothing that a guest wrote',
    open: async (opened) => {
      const account = accountOf({ gala: 0 })
      account
        .of('gala')
        .push(responseItem(1, { name: attack, message: 'a long message '.repeat(40) }), responseItem(2))
      const stage = opened.use(await startStage('postgres', account))
      await stage.sync()
      const { url } = opened.use(await serve(stage.target))
      const { path } = await createLink({
        ...optionOf(stage.target),
        view: 'response_details',
        format: 'html',
      })
      return url.replace(/\/api\/v1$/, path)
    },
    look: `
      heads: document.querySelectorAll('th').length,
      cells: [...document.querySelectorAll('td')].map((cell) => cell.textContent)`,
  },
  async ({ heads, cells }, tab) => {
    expect(await tab.title()).toBe('response details')
    expect(cells).toHaveLength(2 * heads)
    expect(cells).toContain(attack)
  },
)
