import { commandName } from '../../common/command-name.ts'
import { demoFolder, demoTarget } from './folder.ts'
import type { DemoOutput } from './output.ts'

/** Commands that work as typed, and what is left on the disk. */
export async function showNextSteps(page: DemoOutput): Promise<void> {
  const headcount = commandName()
  const command = (text: string) => page.style('cyan', text)
  await page.heading('What next')
  await page.block(
    [
      'Type your own question:',
      '',
      command(`${headcount} query --database ${demoTarget} \\`),
      command(`  "select kind, count(*) from responses group by kind"`),
      '',
      'What is coming, and what the second run changed:',
      '',
      command(`${headcount} events --database ${demoTarget}`),
      command(`${headcount} changes --database ${demoTarget}`),
      '',
      'Answer as the service yourself, from the mirror:',
      '',
      command(`${headcount} keys create --database ${demoTarget}`),
      command(`${headcount} serve --database ${demoTarget}`),
      '',
      `The mirror stays in ${demoFolder} (60 MB); the next demo begins afresh.`,
      `To remove it: ${command(`rm -r ${demoFolder}`)}`,
      '',
      'Your own account: see README.md.',
    ].join('\n'),
  )
}
