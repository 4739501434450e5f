# /srv/salt/_modules/deployment.py
"""Custom deployment module for Python applications."""

import os
import subprocess
import json
import logging

log = logging.getLogger(__name__)

__virtualname__ = "deploy"

def __virtual__():
    """Only load on Linux systems with systemd."""
    if __grains__["kernel"] == "Linux" and os.path.exists("/usr/bin/systemctl"):
        return __virtualname__
    return False

def release(app_name, version, repo_url, venv_path="/opt/venvs"):
    """
    Deploy a new version of a Python application.

    CLI Example:
        salt 'web*' deploy.release myapp v2.3.1 https://github.com/org/myapp
    """
    app_dir = f"/opt/apps/{app_name}"
    venv = f"{venv_path}/{app_name}"

    steps = []

    # Clone or update repository
    if os.path.exists(app_dir):
        result = _run(f"git -C {app_dir} fetch && git -C {app_dir} checkout {version}")
    else:
        result = _run(f"git clone {repo_url} {app_dir} && git -C {app_dir} checkout {version}")
    steps.append({"git": result})

    # Update virtual environment
    result = _run(f"{venv}/bin/pip install -r {app_dir}/requirements.txt --quiet")
    steps.append({"pip": result})

    # Run migrations
    result = _run(
        f"{venv}/bin/python {app_dir}/manage.py migrate --noinput",
        env={"DJANGO_SETTINGS_MODULE": f"{app_name}.settings.production"},
    )
    steps.append({"migrate": result})

    # Restart service
    __salt__["service.restart"](app_name)
    steps.append({"restart": "completed"})

    # Health check
    health = __salt__["http.query"](
        f"http://localhost:8000/health",
        status=True,
    )
    steps.append({"health": health.get("status", "unknown")})

    return {
        "app": app_name,
        "version": version,
        "steps": steps,
        "success": health.get("status") == 200,
    }

def _run(cmd, env=None):
    """Run a shell command and return structured output."""
    full_env = os.environ.copy()
    if env:
        full_env.update(env)
    try:
        result = subprocess.run(
            cmd, shell=True, capture_output=True, text=True,
            timeout=300, env=full_env,
        )
        return {
            "retcode": result.returncode,
            "stdout": result.stdout[-500:] if result.stdout else "",
            "stderr": result.stderr[-500:] if result.stderr else "",
        }
    except subprocess.TimeoutExpired:
        return {"retcode": -1, "error": "timeout"}
