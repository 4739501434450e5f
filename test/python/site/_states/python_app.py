# /srv/salt/_states/python_app.py
"""State module for managing Python application deployments."""

def deployed(name, version, repo_url, health_endpoint="/health"):
    """
    Ensure a Python application is deployed at the specified version.

    name:
        Application name
    version:
        Git tag or commit to deploy
    repo_url:
        Git repository URL
    """
    ret = {"name": name, "changes": {}, "result": True, "comment": ""}

    # Check current version
    current = _get_current_version(name)

    if current == version:
        ret["comment"] = f"{name} already at version {version}"
        return ret

    if __opts__["test"]:
        ret["result"] = None
        ret["comment"] = f"Would update {name} from {current} to {version}"
        ret["changes"] = {"old": current, "new": version}
        return ret

    # Perform deployment using our execution module
    result = __salt__["deploy.release"](name, version, repo_url)

    if result["success"]:
        ret["changes"] = {"old": current, "new": version}
        ret["comment"] = f"Deployed {name} {version} successfully"
    else:
        ret["result"] = False
        ret["comment"] = f"Deployment failed: {result}"

    return ret

def _get_current_version(app_name):
    app_dir = f"/opt/apps/{app_name}"
    result = __salt__["cmd.run_stdout"](
        f"git -C {app_dir} describe --tags --always 2>/dev/null || echo 'none'"
    )
    return result.strip()
