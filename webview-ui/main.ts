import '@vscode/codicons/dist/codicon.css';
import './style.css';
import * as l10n from '@vscode/l10n';
import { InspectorApp } from './app.js';
import { HostConnection } from './hostConnection.js';

const root = document.getElementById('inspector')!;
let inspector: InspectorApp | undefined;
const connection = new HostConnection(message => {
  switch (message.type) {
    case 'initialize':
      if (message.initialState.bundle !== undefined) l10n.config({ contents: message.initialState.bundle });
      inspector = new InspectorApp(connection, message.initialState, root);
      break;
    case 'changed':
      inspector?.refresh();
      break;
    case 'navigate':
      inspector?.navigate(message.target);
      break;
  }
});
