import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { packageRoot } from '../../dev/package-root';
import { until } from '../../dev/giro-environment';

type Tab = 'user-metadata' | 'search-attributes' | 'memo';

/** What operators do in the Temporal UI, by the names that they read there. Written for UI 2.54. */
export class TemporalUi {
  constructor(
    readonly page: Page,
    private readonly url: string,
  ) {}

  /** Opens the list with a filter, as a shared link does. */
  openList(filter: string): Promise<void> {
    return this.goTo(`?query=${encodeURIComponent(filter)}`);
  }

  /** Workflow ids of the list, sorted; Temporal's index lags slightly behind. */
  async listed(filter: string, isThere: (ids: readonly string[]) => boolean): Promise<readonly string[]> {
    return until(async () => {
      await this.openList(filter);
      await this.page.getByTestId('workflow-count').waitFor();
      const links = this.page.getByRole('link', { name: /^(transfer|kyc)-/ });
      return (await links.allInnerTexts()).sort();
    }, isThere);
  }

  /** Types a filter into the list's own box. */
  async typeFilter(filter: string): Promise<void> {
    await this.goTo('');
    await this.page.getByTestId('toggle-manual-query').click();
    const box = this.page.getByTestId('workflow-manual-search-input');
    await box.fill(filter);
    await box.press('Enter');
    await this.page.waitForURL('**/workflows?query=**');
  }

  /** Sets *Configure Columns*; the browser keeps the setting. */
  async setColumns(change: {
    readonly remove: readonly string[];
    readonly add: readonly string[];
  }): Promise<void> {
    await this.page.getByTestId('workflows-summary-table-configuration-button').click();
    const item = (name: string, verb: 'add' | 'remove') =>
      this.page.getByTestId(`orderable-list-item-${name}-${verb}-button`);
    for (const name of change.remove) await item(name, 'remove').click();
    for (const name of change.add) await item(name, 'add').click();
    await item(change.add[0] ?? '', 'remove').waitFor();
    await this.page.keyboard.press('Escape');
    for (const name of change.add) await this.page.getByRole('columnheader', { name }).waitFor();
  }

  async saveView(name: string): Promise<void> {
    await this.page.getByTestId('create-view-button').click();
    const dialog = this.page.locator('#workflow-save-view-modal');
    await dialog.getByTestId('workflow-save-view-modal-input').fill(name);
    await dialog.getByTestId('confirm-modal-button').click();
    await dialog.waitFor({ state: 'hidden' });
  }

  /** Opens a saved view on a fresh page, as an operator does days later. */
  async openView(name: string): Promise<void> {
    await this.goTo('');
    await this.page.getByTestId('saved-views-bar').getByRole('button', { name: 'Saved Views' }).click();
    await this.page.getByText(name, { exact: true }).first().click();
    await this.page.waitForURL('**/workflows?query=**');
  }

  /** Waits until the open list has these workflows and no others. */
  async expectListed(workflowIds: readonly string[]): Promise<void> {
    for (const id of workflowIds) await this.page.getByRole('link', { name: id, exact: true }).waitFor();
    const listed = await this.page.getByRole('link', { name: /^(transfer|kyc)-/ }).allInnerTexts();
    expect(listed.sort()).toEqual([...workflowIds].sort());
  }

  async open(workflowId: string, tab?: Tab): Promise<void> {
    await this.goTo(`/${workflowId}`);
    await this.page.getByTestId('workflow-id-heading').getByText(workflowId).waitFor();
    if (tab !== undefined) await this.openTab(tab);
  }

  /** Opens a tab of the open workflow. */
  async openTab(tab: Tab): Promise<void> {
    await this.page.getByTestId(`${tab}-tab`).click();
    await this.page.waitForURL(`**/${tab}`);
    // The timeline, with its sort order, has disappeared.
    await this.page.getByText('Descending').waitFor({ state: 'hidden' });
  }

  /** One of the three texts under *User Metadata*, as rendered. */
  async metadata(which: 'summary' | 'details' | 'current-details'): Promise<string> {
    const body = this.page.frameLocator(`#user-metadata-${which}`).locator('body');
    await body.getByText(/\S/).first().waitFor();
    return (await body.innerText()).replace(/\s+/g, ' ').trim();
  }

  /** The text of the open page, without its frames. */
  mainText(): Promise<string> {
    return this.page.locator('main').innerText();
  }

  async setCodecServer(url: string): Promise<void> {
    await this.page.getByTestId('data-encoder-status').click();
    const dialog = this.page.locator('#data-encoder-settings');
    await dialog.getByTestId('use-local-endpoint-input').click();
    await dialog.getByTestId('data-encoder-endpoint-input').fill(url);
    await dialog.getByTestId('confirm-modal-button').click();
    await dialog.waitFor({ state: 'hidden' });
  }

  /** Fills *Send a Signal* or *Send an Update*; nothing is sent yet. */
  async compose(kind: 'signal' | 'update', name: string, json: unknown): Promise<Locator> {
    await this.page.getByRole('button', { name: 'More Actions' }).first().click();
    const entry = kind === 'signal' ? 'Send a Signal' : 'Send an Update';
    await this.page.getByRole('menuitem', { name: entry }).first().click();
    const dialog = this.page.getByTestId(`${kind}-confirmation-modal`).and(this.page.locator('[open]'));
    await dialog.getByTestId(`${kind}-select-button`).click();
    await dialog.getByRole('option', { name }).click();
    const data = dialog.getByRole('textbox', { name: 'Data' });
    await data.fill(JSON.stringify(json));
    // The editor reformats the text when it loses the focus, which moves the button.
    await data.press('Tab');
    await data.getByText('{', { exact: true }).waitFor();
    return dialog;
  }

  async send(kind: 'signal' | 'update', name: string, json: unknown): Promise<void> {
    const dialog = await this.compose(kind, name, json);
    await dialog.getByTestId('confirm-modal-button').click();
    await dialog.waitFor({ state: 'hidden' });
  }

  /** Into docs/images, only when asked for: a picture differs from run to run. */
  async picture(name: string, part: Page | Locator = this.page): Promise<void> {
    if (process.env['UI_SCREENSHOTS'] === undefined) return;
    const folder = join(packageRoot, 'docs', 'images');
    mkdirSync(folder, { recursive: true });
    await part.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
  }

  /** The caller waits for the content afterwards, so waiting for the page's last image is unnecessary. */
  private async goTo(path: string): Promise<void> {
    await this.page.goto(`${this.url}/namespaces/default/workflows${path}`, { waitUntil: 'commit' });
  }
}
